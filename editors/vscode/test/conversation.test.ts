import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Conversation} from '../src/conversation.ts';
import type {Question, Update} from '../src/protocol.ts';

function told(...updates: unknown[]): Conversation {
  const conversation = new Conversation();
  updates.forEach((update, seq) => conversation.update({sessionId: 's', turnId: 't', seq, update: update as Update}));
  return conversation;
}
const text = (words: string) => ({type: 'text', text: words});
const running = {sessionUpdate: 'state_update', state: 'running'};
const question: Question = {
  sessionId: 's',
  requestId: 'q',
  title: 'Edit?',
  description: '+ a',
  options: [
    {optionId: 'no', name: 'Reject', kind: 'reject_once'},
    {optionId: 'yes', name: 'Allow', kind: 'allow_once'},
  ],
};

test('conversation: pieces of a message become one entry, and a new message another', () => {
  const said = (messageId: string, words: string) => ({
    sessionUpdate: 'agent_message_chunk',
    messageId,
    content: text(words),
  });
  const {entries} = told(said('1', 'Hel'), said('1', 'lo'), said('2', 'Bye'));
  assert.deepEqual(entries, [
    {kind: 'agent', id: '1', text: 'Hello'},
    {kind: 'agent', id: '2', text: 'Bye'},
  ]);
});

test('conversation: a call of a tool keeps what it was told before', () => {
  const call = {sessionUpdate: 'tool_call_update', toolCallId: 'c'};
  const conversation = told(
    running,
    {
      ...call,
      name: 'replace_range',
      title: 'src/a.ts',
      status: 'in_progress',
      rawInput: {path: 'src/a.ts', line: 3, new_string: 'let a;\nlet b;'},
    },
    {...call, content: [{type: 'diff', changes: [{operation: 'modify', path: 'src/a.ts'}]}]},
    {
      ...call,
      status: 'completed',
      content: [{type: 'content', content: text('1 line')}],
      _meta: {skills: {milliseconds: 4}},
    },
    {sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn'},
  );
  assert.deepEqual(conversation.entries[0], {
    kind: 'tool',
    id: 't/c',
    name: 'replace_range',
    title: 'src/a.ts',
    status: 'completed',
    input: 'path: src/a.ts\nline: 3\nnew_string:\n  let a;\n  let b;',
    output: '1 line',
    changes: [{operation: 'modify', path: 'src/a.ts', label: 'src/a.ts'}],
    truncated: false,
    milliseconds: 4,
  });
  assert.equal(conversation.lastEnd?.changed, true);
  assert.equal(conversation.running, undefined);
});

test('conversation: a call shows what the model was given, and that it was not all', () => {
  const call = {sessionUpdate: 'tool_call_update', toolCallId: 'c'};
  const [entry] = told(
    {...call, name: 'run_shell', title: 'ls', status: 'in_progress', rawInput: 'ls {'},
    {
      ...call,
      status: 'failed',
      content: [{type: 'content', content: text('exit 1')}],
      rawOutput: 'exit 1\nno such file',
      _meta: {skills: {truncated: true}},
    },
  ).entries;
  assert.ok(entry?.kind === 'tool');
  const {input, output, status, truncated} = entry;
  assert.deepEqual([input, output, status, truncated], ['ls {', 'exit 1\nno such file', 'failed', true]);
});

test('conversation: what is not known is skipped', () => {
  assert.deepEqual(told({sessionUpdate: 'plan', entries: []}, {sessionUpdate: '_else'}).entries, []);
});

test('conversation: a question is open until it is answered, by whomever', () => {
  const conversation = told(running);
  conversation.ask(question);
  assert.equal(conversation.questions.length, 1);
  conversation.resolve({requestId: 'q', optionId: 'yes'});
  assert.deepEqual(conversation.questions, []);
  assert.deepEqual(conversation.resolve({requestId: 'q', optionId: 'no'}), [], 'a late answer changes nothing');
  assert.deepEqual(conversation.resolve({requestId: 'unknown'}), []);
});

test('conversation: an open question stands last, whatever comes after it', () => {
  const conversation = told(running);
  conversation.ask(question);
  conversation.note('late', 'info');
  assert.deepEqual(
    conversation.entries.map(({id}) => id),
    ['note-1', 'q'],
  );
});

test('conversation: a server that is gone leaves nothing running and no question open', () => {
  const conversation = told(running, {sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress'});
  conversation.ask(question);
  conversation.interrupt();
  assert.equal(conversation.running, undefined);
  assert.deepEqual(conversation.questions, []);
  assert.ok(conversation.entries.every((entry) => entry.kind !== 'tool' || entry.status === 'failed'));
});

test('conversation: it is bounded, and says what it cut', () => {
  const conversation = told(
    ...Array.from({length: 1_200}, (_, index) => ({sessionUpdate: '_skills_note', text: `${index}`})),
    {sessionUpdate: 'agent_message_chunk', messageId: 'm', content: text('x'.repeat(300_000))},
  );
  assert.equal(conversation.entries.length, 1_000);
  const last = conversation.entries.at(-1);
  assert.ok(last?.kind === 'agent' && last.text.length < 201_000 && last.text.includes('transcript has all'));
});
