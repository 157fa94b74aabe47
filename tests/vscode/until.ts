import {setTimeout as pause} from 'node:timers/promises';

/** Long enough for a busy machine; nothing is ever waited for longer than it takes. */
export const PATIENCE = 180_000;

/** Waits until something is there, and gives it. A look that waits itself may do so for longer each time. */
export async function until<T>(
  what: string,
  look: (attempt: number) => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + PATIENCE;
  for (let attempt = 1; ; attempt += 1) {
    const found = await look(attempt);
    if (found !== undefined && found !== false) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain until ${what}`);
    }
    await pause(50);
  }
}
