/**
 * Measures what the extension costs: how long it activates, beside one that registers a single provider, and how long the window takes no input while a folder with
 * 1,000 skills is opened: the longest time between two ticks of a timer in it, with the extension and without. Prints;
 * judges nothing. `tests/vscode/run --measure` sets what it needs.
 */
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import type {Page} from 'playwright-core';

import {inWindow} from './workbench.ts';

const SKILLS = 1_000;
const TICK = 5;

test('measure', async () => {
  await inWindow({}, async ({page, folder}) => {
    for (let number = 0; number < SKILLS; number += 1) {
      const skill = join(folder, `.claude/skills/skill-${number}`);
      mkdirSync(skill, {recursive: true});
      const description = 'Does what is to be done. Use when it is to be done.';
      const frontmatter = `name: skill-${number}\ndescription: ${description}\npaths: src/part${number % 50}/**/*.ts`;
      writeFileSync(join(skill, 'SKILL.md'), `---\n${frontmatter}\n---\nDo it.\n`);
    }
    await reload(page, folder);
  });
});

async function reload(page: Page, folder: string): Promise<void> {
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
  const longest = () => page.evaluate(() => (globalThis as unknown as {longest: number}).longest);
  const forget = () => page.evaluate(() => void ((globalThis as unknown as {longest: number}).longest = 0));
  await page.goto(`${new URL(page.url()).origin}/?folder=${encodeURIComponent(folder)}`);
  await page.locator('.statusbar-item', {hasText: /Skills: \d/}).waitFor();
  const starting = await longest();
  // The same once more, without the editor's own start: the server anew, and its skills in the view.
  await page.locator('.action-label[aria-label^="Skills"]').first().click();
  await page.locator('.pane-body .monaco-list-row').first().waitFor();
  await forget();
  await page.waitForTimeout(2_000);
  const idle = await longest();
  await forget();
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Skills: Restart the Server');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(5_000);
  const restarting = await longest();
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').fill('>Developer: Show Running Extensions');
  await page.keyboard.press('Enter');
  const activation = async (name: RegExp) => {
    const row = page.locator('.runtime-extensions-editor .monaco-list-row', {hasText: name}).first();
    return /Activation: (\d+)\s*ms/.exec((await row.textContent()) ?? '')?.[1] ?? '?';
  };
  const say = (what: string, value: number) =>
    console.log(`VS Code, ${SKILLS} skills, ${what}: ${value.toFixed(0)} ms`);
  say('no input while the window starts, its own work included', starting);
  say('no input in an idle window', idle);
  say('no input while the server starts and its skills are shown', restarting);
  console.log(`VS Code, activation of the extension: ${await activation(/^Skills/)} ms`);
  console.log(`VS Code, activation of a trivial extension: ${await activation(/^model/)} ms`);
}
