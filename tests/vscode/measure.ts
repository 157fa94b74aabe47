/**
 * Measures what the extension costs: how long it activates, beside one that registers a single provider, and how long
 * the window takes no input while a folder with 1,000 skills is opened, and while the cursor moves in it: the longest
 * time between two ticks of a timer, with the extension and its views, and without; and how much of that the window
 * itself worked, which a busy machine does not change. Prints; judges nothing. `tests/vscode/run --measure` sets what it
 * needs; with SKILLS_TEST_SERVER another program than the packaged one is the server, such as an optimized one.
 */
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';

import type {Page} from 'playwright-core';

import {EXTENSIONS, Workbench} from './workbench.ts';

const SKILLS = 1_000;
const ROUNDS = 5;
const TICK = 5;
/** By then all that opening a folder starts has ended. */
const SETTLE_MILLISECONDS = 8_000;

/** The longest time without input, in milliseconds. */
interface Pause {
  readonly pause: number;
  readonly work: number;
}

test('measure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skills-'));
  for (let number = 0; number < SKILLS; number += 1) {
    const skill = join(folder, `.claude/skills/skill-${number}`);
    mkdirSync(skill, {recursive: true});
    const description = 'Does what is to be done. Use when it is to be done.';
    const frontmatter = `name: skill-${number}\ndescription: ${description}\npaths: src/part${number % 50}/**/*.ts`;
    writeFileSync(join(skill, 'SKILL.md'), `---\n${frontmatter}\n---\nDo it.\n`);
  }
  mkdirSync(join(folder, 'src/part7'), {recursive: true});
  writeFileSync(join(folder, 'src/part7/a.ts'), 'export {};\n'.repeat(200));
  try {
    for (const [name, extensions] of [
      ['without', EXTENSIONS.slice(1)],
      ['with the extension', EXTENSIONS],
    ] as const) {
      const workbench = await Workbench.start(extensions);
      try {
        await measure(workbench, folder, name, extensions === EXTENSIONS);
      } finally {
        await workbench.stop();
      }
    }
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});

async function measure(workbench: Workbench, folder: string, name: string, isOurs: boolean): Promise<void> {
  const server = process.env['SKILLS_TEST_SERVER'] ?? '';
  const page = await workbench.show(folder, {
    'skills.server.path': server,
    'security.workspace.trust.enabled': false,
  });
  await page.addInitScript((tick: number) => {
    const probe = globalThis as unknown as {longest: number};
    let last = performance.now();
    probe.longest = 0;
    setInterval(() => {
      const now = performance.now();
      probe.longest = Math.max(probe.longest, now - last - tick);
      last = now;
    }, tick);
  }, TICK);
  const ready = async () => {
    await page.locator('.statusbar-item', {hasText: isOurs ? /Skills: \d/ : 'TypeScript'}).waitFor();
    await page.waitForTimeout(SETTLE_MILLISECONDS);
  };
  await page.locator('.statusbar-item').first().waitFor();
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input').fill('part7/a.ts');
  await page.locator('.quick-input-list .monaco-list-row', {hasText: 'a.ts'}).first().waitFor();
  await page.keyboard.press('Enter');
  if (isOurs) {
    await page.locator('.action-label[aria-label^="Skills"]').first().click();
    await page.locator('.pane-body .monaco-list-row').first().waitFor();
  }
  await ready();

  const opening = await rounds(page, async () => {
    await page.reload();
    await ready();
  });
  await page.locator('.editor-instance .view-line').first().click();
  const moving = await rounds(page, async () => {
    for (let line = 0; line < 20; line += 1) {
      await page.keyboard.press('ArrowDown');
    }
    await page.waitForTimeout(1_000);
  });
  for (const [what, {pause, work}] of Object.entries({'opens the folder': opening, 'moves the cursor': moving})) {
    const pauses = `no input for ${pause.toFixed(0)} ms, of which ${work.toFixed(0)} ms are work`;
    console.log(`VS Code, ${SKILLS} skills, ${name}, ${what}: ${pauses} (medians of ${ROUNDS})`);
  }

  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Developer: Show Running Extensions');
  await page.keyboard.press('Enter');
  const row = page.locator('.runtime-extensions-editor .monaco-list-row', {hasText: isOurs ? /^Skills/ : /^model/});
  const time = /Activation: (\d+)\s*ms/.exec((await row.first().textContent()) ?? '')?.[1] ?? '?';
  console.log(`VS Code, activation of ${isOurs ? 'the extension' : 'a trivial extension'}: ${time} ms`);
}

/** Does something some times; gives the medians. */
async function rounds(page: Page, run: () => Promise<void>): Promise<Pause> {
  const pauses: Pause[] = [];
  const browser = page.context().browser();
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.evaluate(() => void ((globalThis as unknown as {longest: number}).longest = 0));
    await browser?.startTracing(page, {categories: ['toplevel']});
    await run();
    const trace = await browser?.stopTracing();
    const pause = await page.evaluate(() => (globalThis as unknown as {longest: number}).longest);
    pauses.push({pause, work: longestWork(trace?.toString() ?? '')});
  }
  return {pause: median(pauses.map(({pause}) => pause)), work: median(pauses.map(({work}) => work))};
}

/** The most time of the processor that one task of the window took. */
function longestWork(trace: string): number {
  const {traceEvents} = JSON.parse(trace) as {traceEvents: readonly TraceEvent[]};
  const thread = ({pid, tid}: TraceEvent) => `${pid}/${tid}`;
  const isMain = ({name, args}: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
  const main = new Set(traceEvents.filter(isMain).map(thread));
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && main.has(thread(event)));
  return Math.max(...tasks.map(({tdur}) => tdur ?? 0)) / 1_000;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args?: {readonly name?: string};
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
