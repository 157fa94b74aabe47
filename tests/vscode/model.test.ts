import assert from 'node:assert/strict';
import {suite, test} from 'node:test';

import {type Window, inWindow} from './workbench.ts';

const lent = (name: string) => ({'skills.model.provider': 'editor', 'skills.model.name': name});

async function run(window: Window): Promise<void> {
  await window.file('src/greet.ts');
  await window.statusSays('Skills: 1');
  await window.act('Run skill: greeting');
}

suite('model', () => {
  test("the editor's own model does a turn, without a key", async () => {
    await inWindow({settings: lent('edits')}, async (window, model) => {
      await model.play([]);
      await run(window);
      await window.chat().getByText('I have my tools.').waitFor();
      await window.waitForText('"hello, "');
      await window.chat().getByText('The greeting is the agreed one now.').waitFor();
      assert.deepEqual(await model.requests(), [], 'no endpoint is asked');
    });
  });

  test('a model without quota, and one that is not there, say so', async () => {
    for (const [name, said] of [
      ['blocked', /quota/],
      ['no-such-model', /it has .*edits/],
    ] as const) {
      await inWindow({settings: lent(name)}, async (window) => {
        await run(window);
        await window.chat().locator('.turn-end .error', {hasText: said}).waitFor();
      });
    }
  });
});
