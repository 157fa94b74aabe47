import {suite, test} from 'node:test';

import {inWindow} from './workbench.ts';

suite('activation', () => {
  test('opening a matching file activates a skill, and the view says why', async () => {
    await inWindow({}, async (window) => {
      await window.showSkills();
      await window.statusSays('Skills: 0 · claude-sonnet-4-5');
      await window.file('src/greet.ts');
      await window.statusSays('Skills: 1');
      await window.skill(/^greeting, active/).waitFor();
      // Its file opens, for which no skill is active.
      await window.skill(/^greeting, active/).click();
      await window.page.keyboard.press('ArrowRight');
      await window.skill('src/greet.ts matches src/**/*.ts').waitFor();
    });
  });

  test('creating a matching file activates it too', async () => {
    await inWindow({}, async (window) => {
      await window.showSkills();
      await window.create('src/fresh.ts', 'let fresh;');
      await window.skill(/^greeting, active/).waitFor();
    });
  });

  test('the view tells what is available, broken and shadowed', async () => {
    await inWindow({}, async (window) => {
      await window.showSkills();
      await window.skill(/^deploy, available/).waitFor();
      await window.skill(/^release-notes, broken\. .*description/).waitFor();
      await window.skill(/^Shadowed, 1/).click();
      await window.skill(/^changelog, shadowed\. by \.agents/).click();
      await window.page.locator('.tab.active', {hasText: 'SKILL.md'}).waitFor();
    });
  });
});
