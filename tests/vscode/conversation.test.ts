import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {suite, test} from 'node:test';

import {until} from './until.ts';
import {inWindow} from './workbench.ts';

const reads = ['read_file_range', {path: 'src/greet.ts', start_line: 1}] as const;

suite('conversation', () => {
  test('what is said while a turn runs waits for its end, or steers it', async () => {
    await inWindow({}, async (window, model) => {
      await model.play([
        {says: 'I read it slowly. '.repeat(30), calls: reads, pace: 60},
        {asked: '[steering]', says: 'I mind the tests.'},
        {asked: 'the second', says: 'Here is the second answer.'},
      ]);
      await window.file('src/greet.ts');
      await window.statusSays('Skills: 1');
      await window.command('Skills: Focus on Agent View');
      const chat = window.chat();
      await window.prompt('the first');
      await chat.getByText('I read it slowly.').first().waitFor();
      await window.prompt('the second');
      await window.prompt('the third');
      const waiting = chat.getByRole('list', {name: 'Waiting'});
      await waiting.getByText('Next: the second').waitFor();
      await waiting.getByRole('button', {name: 'Remove the third'}).click();
      await window.prompt('mind the tests', 'Control+Enter');
      await chat.getByText('I mind the tests.').waitFor();
      await chat.getByText('Here is the second answer.').waitFor();
      await until('nothing waits', async () => (await waiting.getByText('Next').count()) === 0);
      const requests = JSON.stringify(await model.requests());
      assert.doesNotMatch(requests, /the third/);
    });
  });

  test('the name of a skill completes, with what it takes behind it', async () => {
    await inWindow({}, async (window) => {
      await window.command('Skills: Focus on Agent View');
      const chat = window.chat();
      const prompt = chat.getByLabel('Prompt').getByRole('textbox');
      await prompt.fill('/dep');
      await chat.getByRole('option', {name: /deploy/, selected: true}).waitFor();
      await prompt.press('Tab');
      assert.equal(await prompt.inputValue(), '/deploy ');
      await chat.getByText('[environment]').waitFor();
      await prompt.pressSequentially('production');
      await until('nothing stands behind the words', async () => (await chat.getByText('[environment]').count()) === 0);
    });
  });

  test('a session is left and gone on with', async () => {
    await inWindow({}, async (window, model) => {
      await model.play([{says: 'It greets people.'}]);
      await window.file('src/greet.ts');
      await window.statusSays('Skills: 1');
      await window.command('Skills: Focus on Agent View');
      const chat = window.chat();
      await window.prompt('What is this?');
      await chat.getByText('It greets people.').waitFor();
      await chat.getByText('Done · 1,234 tokens').waitFor();
      await window.statusSays('Skills: 1 · claude-sonnet-4-5 · 1.2K');
      await window.command('Skills: New Session');
      // An empty conversation opens with the skills.
      await chat.getByRole('heading', {name: 'Active here'}).waitFor();
      await window.command('Skills: Sessions…');
      await window.page.locator('.quick-input-list .monaco-list-row', {hasText: 'What is this?'}).first().click();
      await chat.getByText('It greets people.').waitFor();
    });
  });

  test('what is written outlives the view unsent, and what was said comes back by a key', async () => {
    await inWindow({}, async (window, model) => {
      await model.play([{says: 'It greets people.'}]);
      await window.file('src/greet.ts');
      await window.command('Skills: Focus on Agent View');
      await window.prompt('What does it do?');
      await window.chat().getByText('It greets people.').waitFor();
      const prompt = window.chat().getByLabel('Prompt').getByRole('textbox');
      await prompt.press('ArrowUp');
      assert.equal(await prompt.inputValue(), 'What does it do?');
      await prompt.press('ArrowDown');
      assert.equal(await prompt.inputValue(), '');
      await prompt.fill('half a thought');
      await window.command('View: Show Explorer');
      await prompt.waitFor({state: 'detached'});
      await window.command('Skills: Focus on Agent View');
      await until('the draft is there', async () => (await prompt.inputValue()) === 'half a thought');
    });
  });

  test('a key that is kept in the secret storage goes to the model, and to nobody once it is removed', async () => {
    const keys: (string | undefined)[] = [];
    const endpoint = createServer((request, reply) => {
      keys.push(request.headers['x-api-key']?.toString());
      reply.writeHead(401, {'content-type': 'application/json'}).end('{}');
    }).listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const {port} = endpoint.address() as AddressInfo;
    const settings = {
      'skills.model.baseUrl': `http://127.0.0.1:${port}`,
      'skills.model.apiKeyEnv': 'NOWHERE_BUT_IN_THE_STORAGE',
    };
    try {
      await inWindow({settings}, async (window) => {
        const keep = async (key: string) => {
          await window.command('Skills: Set API Key…');
          await window.page.locator('.quick-input-widget input[type=password]').fill(key);
          await window.page.keyboard.press('Enter');
        };
        const ends = window.chat().locator('.turn-end, .note.error');
        // The server starts anew with the key, so the first prompts may still go to the one before.
        const asksWith = (isRight: (key: string | undefined) => boolean) =>
          until('the model is asked with the right key', async () => {
            const before = await ends.count();
            // While the server starts, nothing is sent.
            await window.chat().getByPlaceholder('Ask the agent').waitFor();
            await window.prompt('Are you there?');
            await until('the turn ends', async () => (await ends.count()) > before);
            return isRight(keys.at(-1));
          });
        await keep('sk-from-the-storage');
        await window.command('Skills: Focus on Agent View');
        await asksWith((key) => key === 'sk-from-the-storage');
        await keep('');
        await asksWith((key) => key !== 'sk-from-the-storage');
      });
    } finally {
      endpoint.close();
    }
  });
});
