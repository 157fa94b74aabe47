import assert from 'node:assert/strict';
import {suite, test} from 'node:test';

import type {Answer} from './model.ts';
import {until} from './until.ts';
import {inWindow} from './workbench.ts';

const file = 'src/greet.ts';
const edit = (old_string: string, new_string: string) => ({op: 'edit', path: file, old_string, new_string});
const both: Answer[] = [
  {calls: ['write_patch', {patches: [edit('"hi "', '"hello, "'), edit('"bye "', '"farewell, "')]}]},
  {says: 'Both are mended.'},
];

suite('review', () => {
  test('changes stand in the text with keep and undo, and a person moves from one to the next', async () => {
    await inWindow({}, async (window, model) => {
      await model.play(both);
      await window.file(file);
      await window.statusSays('Skills: 1');
      await window.command('Skills: Focus on Agent View');
      await window.prompt('Mend both');
      await window.waitForText('"farewell, "');
      const lens = (title: string) => window.page.locator('.codelens-decoration a', {hasText: title});
      await until('each change has its lenses', async () => (await lens('Undo').count()) === 2);
      await window.line(1);
      await window.command('Skills: Next Change of the Agent');
      await window.page.locator('.statusbar-item', {hasText: 'Ln 2,'}).waitFor();
      await window.command('Skills: Next Change of the Agent');
      await window.page.locator('.statusbar-item', {hasText: 'Ln 6,'}).waitFor();
      await window.command('Skills: Previous Change of the Agent');
      await window.page.locator('.statusbar-item', {hasText: 'Ln 2,'}).waitFor();
      await window.picture('review-dark');
      await lens('Compare').first().click();
      await window.page.locator('.tab.active', {hasText: 'before the agent'}).waitFor();
      await window.page.locator('.monaco-diff-editor .original .view-line', {hasText: 'hi'}).first().waitFor();
      await window.page.locator('.tab').first().click();
      await lens('Undo').first().click();
      await window.waitForText('"hi "');
      await until('one change is left', async () => (await lens('Undo').count()) === 1);
      await window.line(6);
      await window.command('Skills: Keep the Change at the Cursor');
      await until('nothing is left to decide', async () => (await lens('Undo').count()) === 0);
      assert.match(await window.text(), /"farewell, "/);
    });
  });

  test('a file that is not open is saved after its edit, and who loads a skill is shown beside it', async () => {
    await inWindow({}, async (window, model) => {
      await model.play(both);
      await window.file('.claude/skills/deploy/SKILL.md');
      await window.command('Skills: Who Loads This Skill');
      const page = window.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
      await page.getByRole('heading', {name: 'deploy'}).waitFor();
      await page.getByText('Claude Code').first().waitFor();
      // Without its style sheet it would be a list with bullets.
      const list = page.getByRole('list').first();
      assert.equal(await list.evaluate((it) => it.ownerDocument.defaultView?.getComputedStyle(it).listStyleType), 'none');
      await window.command('View: Close All Editors');
      await window.command('Skills: Focus on Agent View');
      await window.prompt('Mend both');
      await until('it is on the disk', () => /"farewell, "/.test(window.onDisk(file) ?? ''));
    });
  });
});
