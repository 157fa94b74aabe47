import assert from 'node:assert/strict';
import {readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {suite, test} from 'node:test';

import {inWindow} from './workbench.ts';

/** The server that works for a folder. */
function serverOf(folder: string): number | undefined {
  return readdirSync('/proc')
    .map(Number)
    .find((id) => {
      try {
        const [program, ...rest] = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
        return (
          program?.endsWith('/bin/skills-ls') && !rest.includes('list') && readlinkSync(`/proc/${id}/cwd`) === folder
        );
      } catch {
        return false;
      }
    });
}

suite('failure', () => {
  test('a server that dies takes no text with it, and is started again', async () => {
    await inWindow({}, async (window) => {
      await window.file('src/greet.ts');
      await window.statusSays('Skills: 1');
      await window.line(8);
      await window.page.keyboard.type('let unsaved;');
      const server = serverOf(window.folder);
      assert.ok(server !== undefined);
      process.kill(server, 'SIGKILL');
      await window.statusSays('Skills: 1');
      assert.notEqual(serverOf(window.folder), server);
      assert.match(await window.text(), /let unsaved;/);
    });
  });

  test('where there is no server, the person is told what to do', async () => {
    await inWindow({settings: {'skills.server.path': '/nowhere/skills-ls'}}, async (window) => {
      const message = window.page.locator('.notification-toast', {hasText: '/nowhere/skills-ls'});
      await message.getByRole('button', {name: 'Open Settings'}).waitFor();
      await window.statusSays('Skills: stopped');
    });
  });
});
