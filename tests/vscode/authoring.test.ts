import {suite, test} from 'node:test';

import {until} from './until.ts';
import {inWindow} from './workbench.ts';

const skill = '.claude/skills/deploy/SKILL.md';

suite('authoring', () => {
  test('a mistake is found while it is typed, and the fix mends it', async () => {
    await inWindow({}, async (window) => {
      await window.file(skill);
      await window.rewriteLine(3, 'description: Use when: deploying');
      const problem = window.page.locator('.editor-instance .squiggly-error, .editor-instance .squiggly-warning');
      await problem.first().waitFor();
      await window.act(/quote/i);
      await window.waitForText('description: "Use when: deploying"');
      await problem.first().waitFor({state: 'detached'});
    });
  });

  test('what YAML would refuse is repaired when one goes on to the next line', async () => {
    await inWindow({}, async (window) => {
      await window.file(skill);
      await window.rewriteLine(3, 'description: Use when: deploying');
      const problem = window.page.locator('.editor-instance .squiggly-error, .editor-instance .squiggly-warning');
      await problem.first().waitFor();
      await window.page.keyboard.press('Enter');
      await window.waitForText('description: "Use when: deploying"');
    });
  });

  test('field names are completed', async () => {
    await inWindow({}, async (window) => {
      await window.file(skill);
      await window.line(3);
      await window.page.keyboard.type('\nallowed');
      await window.page.keyboard.press('Control+Space');
      const item = window.page.locator('.suggest-widget .monaco-list-row', {hasText: 'allowed-tools'});
      await item.first().waitFor();
      await window.page.keyboard.press('Enter');
      await window.waitForText('allowed-tools:');
    });
  });

  test('what the editor says by itself is not said twice', async () => {
    await inWindow({}, async (window) => {
      await window.file('.agents/skills/changelog/SKILL.md');
      await window.rewriteLine(2, 'name: Change_log');
      await window.rewriteLine(3, 'description: Use when: people notice a change');
      await window.command('View: Focus Problems');
      // What is out of sight is not there: what each reader says takes many lines.
      await window.command('View: Toggle Maximized Panel');
      const says = async () =>
        (await window.page.locator('.markers-panel .marker-message-line').allTextContents()).join('\n');
      // Our own finding beside theirs shows that both have looked.
      const theirs = ['may only contain', 'should match the folder name'];
      await until('each is said once', async () => {
        const said = await says();
        const ours = said.includes('skills-ls') || said.includes('colon');
        return (
          ours && theirs.every((words) => said.includes(words)) && !/name-f(ormat|older)|differs from folder/.test(said)
        );
      });
    });
  });

  test('a skill is renamed with its folder', async () => {
    await inWindow({}, async (window) => {
      await window.file(skill);
      await window.line(2);
      await window.page.keyboard.press('F2');
      await window.page.locator('.rename-box input').fill('ship');
      await window.page.keyboard.press('Enter');
      await until('the folder is renamed', () => window.onDisk('.claude/skills/ship/SKILL.md'));
      await window.waitForText('name: ship');
    });
  });

  test('a new skill starts from a template without a mistake', async () => {
    await inWindow({}, async (window) => {
      await window.command('Skills: New Skill…');
      await window.page.locator('.quick-input-widget input').fill('refund-checks');
      await window.page.keyboard.press('Enter');
      await window.waitForText('name: refund-checks');
      await window.page.locator('.tab.active', {hasText: 'SKILL.md'}).waitFor();
      await window.command('View: Focus Problems');
      await window.page.locator('.markers-panel', {hasText: 'No problems have been detected'}).waitFor();
    });
  });

  test('a field explains itself on hover', async () => {
    await inWindow({}, async (window) => {
      await window.file(skill);
      await window.page
        .locator('.view-line', {hasText: 'description'})
        .locator('span')
        .last()
        .hover({position: {x: 12, y: 6}});
      const hover = window.page.locator('.monaco-hover:visible');
      await until('the hover tells about the field', async () =>
        (await hover.allTextContents()).join('').includes('description'),
      );
    });
  });
});
