import assert from 'node:assert/strict';
import {suite, test} from 'node:test';

import type {Answer} from './model.ts';
import {until} from './until.ts';
import {inWindow} from './workbench.ts';

const file = 'src/greet.ts';
const greets = {path: file, old_string: '"hi "', new_string: '"hello, "'};
// It reads for a moment before the edit arrives: time to type.
const edits: Answer[] = [
  {says: 'I read the file first.', calls: ['read_file_range', {path: file, start_line: 1}]},
  {says: 'The greeting is not the one that was agreed on. '.repeat(4), calls: ['replace_range', greets], pace: 40},
  {says: 'The greeting is **the agreed one** now.'},
];

suite('turn', () => {
  test('the light bulb runs a skill: what is typed meanwhile stays, and the turn is undone at once', async () => {
    await inWindow({}, async (window, model) => {
      await model.play(edits);
      await window.file(file);
      await window.statusSays('Skills: 1');
      await window.line(7);
      await window.act('Run skill: greeting');
      await model.waitForRequests(2);
      await window.page.locator('.editor-instance .view-lines').first().click();
      await window.page.keyboard.press('Control+End');
      await window.page.keyboard.type('let meanwhile;');
      await window.waitForText('"hello, "');
      const chat = window.chat();
      await chat.getByRole('button', {name: 'Undo this turn'}).waitFor();
      assert.match(await window.text(), /let meanwhile;/);
      assert.match(window.onDisk(file) ?? '', /"hi "/, 'nothing is saved by itself');
      // The model was given the skill, and what it asked to read.
      const requests = await model.requests();
      assert.match(JSON.stringify(requests[0]?.body.messages), /Replace every greeting in the file/);
      await chat.getByLabel(/^Tool replace_range.*: done$/).click();
      const call = chat.locator('.tool', {hasText: 'replace_range'});
      await call.getByLabel('Arguments').getByText('new_string: "hello, "').waitFor();
      await call.getByLabel('Output').waitFor();
      assert.equal(await chat.locator('.agent strong').textContent(), 'the agreed one');
      await chat.getByRole('button', {name: 'Review'}).click();
      await window.page.locator('.statusbar-item', {hasText: 'Ln 2,'}).waitFor();
      await chat.getByRole('button', {name: 'Undo this turn'}).click();
      await window.waitForText('"hi "');
      assert.match(await window.text(), /let meanwhile;/);
    });
  });

  test('a prompt is written with the keyboard alone, and what a model writes is never HTML', async () => {
    await inWindow({}, async (window, model) => {
      const image = '<img src=x onerror=alert(1)>';
      await model.play([{says: `${image}\n\n![](https://example.com/x.png)\n\n\`\`\`ts\nlet a = 1;\n\`\`\``}]);
      await window.file(file);
      await window.statusSays('Skills: 1');
      await window.command('Skills: Focus on Agent View');
      const chat = window.chat();
      const prompt = chat.getByLabel('Prompt').getByRole('textbox');
      await prompt.waitFor();
      await prompt.focus();
      await window.page.keyboard.type('/gre');
      await chat.getByRole('option', {name: /greeting/, selected: true}).waitFor();
      await window.page.keyboard.press('Enter');
      await until('the skill stands in the prompt', async () => (await prompt.inputValue()) === '/greeting ');
      await window.page.keyboard.type('softly');
      await window.page.keyboard.press('Enter');
      await chat.locator('.agent pre code').waitFor();
      assert.equal(await chat.locator('.agent img').count(), 0);
      assert.match((await chat.locator('.agent').textContent()) ?? '', /<img src=x/);
      const [request] = await model.requests();
      assert.match(JSON.stringify(request?.body.messages), /softly/);
    });
  });

  test('a turn is stopped in the middle, and nothing is written', async () => {
    await inWindow({}, async (window, model) => {
      await model.play([{says: 'This takes very long. '.repeat(100), calls: ['replace_range', greets], pace: 50}]);
      await window.file(file);
      await window.statusSays('Skills: 1');
      await window.act('Run skill: greeting');
      await model.waitForRequests(1);
      const chat = window.chat();
      await chat.getByText('This takes very long.').first().waitFor();
      await chat.getByRole('button', {name: 'Stop'}).click();
      await chat.getByText(/^Stopped/).waitFor();
      assert.match(await window.text(), /"hi "/);
      assert.equal((await model.requests()).length, 1);
    });
  });
});
