import assert from 'node:assert/strict';
import {suite, test} from 'node:test';

import {type Window, inWindow} from './workbench.ts';

const lent = (name: string) => ({'skills.model.provider': 'editor', 'skills.model.name': name});

/** The editor's own question whether this extension may have a model. */
const consent = (window: Window) => window.page.locator('.monaco-dialog-box', {hasText: /language model/i});

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

  test('a model is chosen for the conversation, and what others begin with stays', async () => {
    await inWindow({}, async (window, model) => {
      await model.play([]);
      await window.file('src/greet.ts');
      await window.statusSays('claude-sonnet-4-5');
      await window.command('Skills: Focus on Agent View');
      const chosen = window.chat().getByRole('button', {name: /^Model: /});
      await chosen.click();
      await window.page.locator('.quick-input-list .monaco-list-row', {hasText: 'Model edits'}).click();
      await window.chat().getByRole('button', {name: /^Model: editor edits/}).waitFor();
      await window.statusSays('edits');
      await run(window);
      await window.chat().getByText('The greeting is the agreed one now.').waitFor();
      assert.deepEqual(await model.requests(), [], 'no endpoint is asked');
      await window.command('Skills: New Session');
      await window.chat().getByRole('button', {name: /^Model: anthropic/}).waitFor();
    });
  });

  test('a provider that never says what it has holds up no other', async () => {
    await inWindow({settings: {...lent('edits'), 'tests.silent': true}}, async (window) => {
      await run(window);
      await window.chat().getByText('The greeting is the agreed one now.').waitFor();
      await window.command('Skills: Select the Model');
      await window.page.locator('.quick-input-list .monaco-list-row', {hasText: 'Model edits'}).click();
      await window.chat().getByRole('button', {name: /^Model: editor edits/}).waitFor();
    });
  });

  test('where there is no key, it is said before anybody asks, and a click leads to it', async () => {
    const settings = {'skills.model.provider': 'openai', 'skills.model.apiKeyEnv': 'NOWHERE_BUT_IN_THE_STORAGE'};
    await inWindow({settings}, async (window) => {
      await window.statusSays('no model');
      await window.command('Skills: Focus on Agent View');
      await window.chat().getByRole('button', {name: /^No model\. .*NOWHERE_BUT_IN_THE_STORAGE/}).click();
      await window.page.locator('.quick-input-list .monaco-list-row', {hasText: 'Set the API key'}).click();
      await window.page.locator('.quick-input-widget', {hasText: 'secret storage'}).waitFor();
    });
  });

  test('a person who refuses the model is told how to allow it, and one who allows it gets the turn', async () => {
    await inWindow({settings: lent('guarded')}, async (window) => {
      await run(window);
      await consent(window).getByRole('button', {name: /^(Cancel|Don't Allow|Deny)/}).click();
      await window.chat().locator('.turn-end .error', {hasText: 'not allowed'}).waitFor();
      await window.prompt('Once more, please.');
      await consent(window).getByRole('button', {name: /^Allow/}).click();
      await window.chat().getByText('I have my tools.').waitFor();
    });
  });

  test('where the folder is not trusted, and so the model is not there, the person is told', async () => {
    await inWindow({settings: lent('edits'), trusted: false}, async (window) => {
      await run(window);
      await window.chat().locator('.turn-end .error', {hasText: 'trust this folder'}).waitFor();
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
