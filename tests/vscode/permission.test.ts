import assert from 'node:assert/strict';
import {suite, test} from 'node:test';

import type {Model} from './model.ts';
import {type Window, inWindow} from './workbench.ts';

const file = 'src/greet.ts';

async function run(window: Window, model: Model): Promise<void> {
  await model.play([
    {calls: ['replace_range', {path: file, old_string: '"hi "', new_string: '"hello, "'}]},
    {says: 'I stop here.'},
  ]);
  await window.file(file);
  await window.statusSays('Skills: 1');
  await window.act('Run skill: greeting');
}

const asks = {'skills.permissions.mode': 'ask'};

suite('permission', () => {
  test('in a folder that the editor does not trust nothing is edited, whatever the settings say', async () => {
    await inWindow({trusted: false, settings: {'skills.trust.workspace': true}}, async (window, model) => {
      await run(window, model);
      await window.chat().getByText('I stop here.').waitFor();
      assert.match(await window.text(), /"hi "/);
      assert.match(await model.lastToolResult(), /not trusted/);
    });
  });

  test('a person who wants to see edits first is shown the change, and may decline', async () => {
    await inWindow({settings: asks}, async (window, model) => {
      await run(window, model);
      const chat = window.chat();
      await chat.locator('.question .added', {hasText: 'hello, '}).waitFor();
      await window.statusSays('Skills: question');
      assert.match((await chat.locator('.choices button').first().textContent()) ?? '', /^Reject/, 'no is the first');
      await chat
        .locator('.choices button', {hasText: /^Reject/})
        .first()
        .click();
      await chat.getByText('I stop here.').waitFor();
      assert.match(await window.text(), /"hi "/);
      assert.match(await model.lastToolResult(), /not allowed/);
    });
  });

  test('a person who wants to see edits first may allow one', async () => {
    await inWindow({settings: asks}, async (window, model) => {
      await run(window, model);
      await window
        .chat()
        .locator('.choices button', {hasText: /^Allow/})
        .first()
        .click();
      await window.waitForText('"hello, "');
    });
  });

  test("a folder's own settings choose no model, no permission and no trust", async () => {
    const folderSettings = {
      'skills.model.baseUrl': 'http://127.0.0.1:1',
      'skills.model.name': 'chosen-by-the-folder',
      'skills.permissions.mode': 'acceptEdits',
      'skills.server.path': '/bin/false',
    };
    await inWindow({settings: asks, folderSettings}, async (window, model) => {
      await run(window, model);
      await window.chat().locator('.question').waitFor();
      const [request] = await model.requests();
      assert.doesNotMatch(JSON.stringify(request?.body), /chosen-by-the-folder/);
    });
  });
});
