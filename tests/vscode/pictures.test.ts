import {suite, test} from 'node:test';

import {inWindow} from './workbench.ts';

const file = 'src/greet.ts';

suite('pictures', () => {
  for (const light of [false, true]) {
    const theme = light ? 'light' : 'dark';
    test(`the agent asks before it edits, ${theme}`, async () => {
      await inWindow({light, settings: {'skills.permissions.mode': 'ask'}}, async (window, model) => {
        await model.play([
          {says: 'I read the file first.', calls: ['read_file_range', {path: file, start_line: 1}]},
          {calls: ['replace_range', {path: file, old_string: '"hi "', new_string: '"hello, "'}]},
          {says: 'The greeting is the agreed one now.'},
        ]);
        await window.file(file);
        await window.statusSays('Skills: 1');
        await window.showSkills();
        await window.page.locator('.monaco-sash.vertical').first().waitFor();
        await window.skill(/^greeting, active/).waitFor();
        await window.act('Run skill: greeting');
        await window.chat().locator('.question').waitFor();
        await window.picture(`question-${theme}`);
        await window
          .chat()
          .locator('.choices button', {hasText: /^Allow/})
          .first()
          .click();
        await window.chat().getByRole('button', {name: 'Undo this turn'}).waitFor();
        await window.waitForText('"hello, "');
        await window.chat().getByLabel(/^Tool replace_range/).click();
        await window.picture(`turn-${theme}`);
      });
    });
  }

  test('a mistake in a skill', async () => {
    await inWindow({}, async (window) => {
      await window.file('.claude/skills/deploy/SKILL.md');
      await window.rewriteLine(3, 'description: Use when: deploying');
      const problem = window.page.locator('.editor-instance .squiggly-error, .editor-instance .squiggly-warning');
      await problem.first().waitFor();
      await window.lightBulb(/quote/i);
      await window.picture('authoring');
    });
  });
});
