import {type CancellationToken, type ChatResponseStream, type ChatResult, type Disposable, Uri, chat} from 'vscode';

import {type Agent, activePlace} from './agent.ts';
import type {Entry} from './conversation.ts';
import {Command} from './protocol.ts';

/** Offers the agent as `@skills` in the editor's own chat, where the editor has one. */
export function participant(agent: Agent, icon: Uri): Disposable[] {
  // Older editors and some relatives of VS Code have no chat.
  if (typeof chat?.createChatParticipant !== 'function') {
    return [];
  }
  const made = chat.createChatParticipant('skills-ls.skills', ({prompt, command}, _, stream, token) =>
    answer(agent, command === undefined ? prompt : `/${command} ${prompt}`, stream, token),
  );
  made.iconPath = icon;
  return [made];
}

async function answer(
  agent: Agent,
  prompt: string,
  stream: ChatResponseStream,
  token: CancellationToken,
): Promise<ChatResult> {
  if (agent.conversation.running !== undefined) {
    return {errorDetails: {message: 'The agent is busy. Stop it, or wait until it is done.'}};
  }
  const written = new Map<string, string>();
  const ended = Promise.withResolvers<string>();
  const listening = agent.onDidSay((entries) => {
    for (const entry of entries) {
      show(entry, stream, written);
      if (entry.kind === 'end') {
        ended.resolve(entry.message);
      } else if (entry.kind === 'note' && entry.severity === 'error') {
        ended.resolve(entry.text);
      }
    }
  });
  const cancelling = token.onCancellationRequested(() => void agent.execute(Command.cancel));
  try {
    if (!(await agent.prompt(prompt, activePlace()))) {
      return {};
    }
    const message = await ended.promise;
    return message === '' ? {} : {errorDetails: {message}};
  } finally {
    listening.dispose();
    cancelling.dispose();
  }
}

/** Streams what is new in an entry. */
function show(entry: Entry, stream: ChatResponseStream, written: Map<string, string>): void {
  const before = written.get(entry.id) ?? '';
  switch (entry.kind) {
    case 'agent':
      stream.markdown(entry.text.slice(before.length));
      written.set(entry.id, entry.text);
      break;
    case 'tool': {
      const line = `${entry.name} ${entry.title}`;
      if (before === '') {
        stream.progress(line);
      }
      written.set(entry.id, line);
      if (entry.status === 'completed') {
        entry.changes.forEach(({path}) => stream.reference(Uri.file(path)));
      }
      break;
    }
    case 'question':
      if (entry.answer === undefined) {
        stream.markdown(`\n\n${entry.question.title}\n\n`);
        stream.button({command: 'skills.answer', title: 'Answer…'});
      }
      break;
    case 'note':
      stream.progress(entry.text);
      break;
    case 'end':
      if (entry.changed) {
        stream.button({command: 'skills.undoTurn', title: 'Undo this turn'});
      }
      break;
    case 'person':
      break;
  }
}
