import {setTimeout as pause} from 'node:timers/promises';

/** Long enough for a slow machine; nothing is ever waited for longer than it takes. */
export const PATIENCE = 30_000;

/** Waits until something is there, and gives it. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain until ${what}`);
    }
    await pause(50);
  }
}
