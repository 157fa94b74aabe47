import {type ExtensionContext, type LogOutputChannel, Uri, commands, window} from 'vscode';

import {type Agent, activePlace} from './agent.ts';
import type {Catalog} from './catalog.ts';
import type {Changes} from './changes.ts';
import type {ChatPanel} from './chat/panel.ts';
import {selectModel} from './modelPicker.ts';
import {askForPrompt} from './prompt.ts';
import {type ChangedHunk, Command, OWN_WORDS} from './protocol.ts';
import type {ReadersPanel} from './readers.ts';
import {keyVariable} from './settings.ts';
import type {SkillRow, SkillsView} from './skillsView.ts';

/** What the commands work with. */
export interface Parts {
  readonly context: ExtensionContext;
  readonly agent: Agent;
  readonly catalog: Catalog;
  readonly view: SkillsView;
  readonly chat: ChatPanel;
  readonly changes: Changes;
  readonly readers: ReadersPanel;
  readonly log: LogOutputChannel;
  /** Starts the server anew. */
  readonly restart: () => Promise<void>;
}

/** Where a key lies in the editor's secret storage: each provider's its own, so that none gets another's. */
export function secretOf(variable: string): string {
  return `skills.${variable}`;
}

/** All commands, by their identifiers in `package.json`. */
const COMMANDS: Record<string, (parts: Parts, row?: SkillRow, value?: unknown) => unknown> = {
  'skills.ask': async ({agent, chat}) => {
    const text = await askForPrompt();
    if (text !== undefined) {
      const place = activePlace();
      await chat.reveal();
      await agent.prompt(text, place);
    }
  },
  'skills.run': async ({agent, chat, view}, row) => {
    const skill = row ?? (await chooseSkill(view));
    if (skill !== undefined) {
      const place = activePlace();
      await chat.reveal();
      await agent.execute(Command.run, skill.name, '', place);
    }
  },
  'skills.stop': ({agent}) => agent.execute(Command.cancel),
  'skills.answer': ({agent}) => answer(agent),
  'skills.undoTurn': ({agent}) => agent.execute(Command.undoTurn),
  'skills.sessions': ({agent, chat}) => chooseSession(agent, chat),
  'skills.newSession': async ({agent, chat}) => {
    await agent.open();
    await chat.focus();
  },
  'skills.nextChange': ({changes}) => changes.move(1),
  'skills.previousChange': ({changes}) => changes.move(-1),
  'skills.compareChanges': ({changes}, _, uri) => changes.compare(uri instanceof Uri ? uri : undefined),
  'skills.keepChange': ({agent, changes}, _, hunk) => decide(agent, 'keep', hunkOf(hunk) ?? changes.atCursor()),
  'skills.undoChange': ({agent, changes}, _, hunk) => decide(agent, 'undo', hunkOf(hunk) ?? changes.atCursor()),
  'skills.keepAll': ({agent}) => agent.execute(Command.keep),
  'skills.showReaders': ({readers}) => readers.show(),
  'skills.openTranscript': ({agent}) => agent.execute(Command.openTranscript),
  'skills.openSkill': (_, row) => {
    if (row?.path != null) {
      return window.showTextDocument(Uri.file(row.path), {preview: true});
    }
    return undefined;
  },
  'skills.previewSkill': ({agent}, row) => {
    if (row?.path == null) {
      return undefined;
    }
    const uri = Uri.file(row.path);
    // What the model would be given, where the server can tell; else the text as Markdown. Neither runs anything.
    return agent.can(Command.preview)
      ? agent.execute(Command.preview, {uri: uri.toString()})
      : commands.executeCommand('markdown.showPreview', uri);
  },
  'skills.newSkill': async ({agent}) => {
    const name = await window.showInputBox({
      prompt: 'The name of the new skill',
      placeHolder: 'refund-checks',
      validateInput: (value) =>
        /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value) && value.length <= 64
          ? undefined
          : 'Lower-case letters, digits and single hyphens between them, at most 64.',
    });
    if (name !== undefined) {
      await agent.execute(Command.newSkill, name);
    }
  },
  'skills.refresh': ({catalog}) => catalog.refresh(),
  'skills.selectModel': ({agent}) => selectModel(agent),
  'skills.setApiKey': async ({context, restart}) => {
    const variable = keyVariable();
    const key = await window.showInputBox({
      prompt: `The key that is otherwise read from ${variable}. It goes into your editor's secret storage; empty removes it.`,
      password: true,
      ignoreFocusOut: true,
    });
    if (key !== undefined) {
      const secret = secretOf(variable);
      await (key === '' ? context.secrets.delete(secret) : context.secrets.store(secret, key));
      await restart();
    }
  },
  'skills.menu': (parts) => menu(parts),
  'skills.restartServer': ({restart}) => restart(),
  'skills.showLog': ({log}) => log.show(true),
};

/** Registers all commands. */
export function registerCommands(parts: Parts): void {
  for (const [id, run] of Object.entries(COMMANDS)) {
    const registered = commands.registerCommand(id, (value?: unknown) => run(parts, skillRow(value), value));
    parts.context.subscriptions.push(registered);
  }
}

/** Commands may be bound to keys with any arguments. */
function skillRow(value: unknown): SkillRow | undefined {
  const row = value as SkillRow | undefined;
  return row?.kind === 'skill' ? row : undefined;
}

function hunkOf(value: unknown): ChangedHunk | undefined {
  const hunk = value as ChangedHunk | undefined;
  return typeof hunk?.changeId === 'number' && typeof hunk.hunkId === 'number' ? hunk : undefined;
}

async function decide(agent: Agent, action: 'keep' | 'undo', hunk: ChangedHunk | undefined): Promise<void> {
  if (hunk === undefined) {
    void window.showInformationMessage('Skills: there is no change of the agent at the cursor.');
    return;
  }
  const {changeId, hunkId} = hunk;
  const params = {changeId, hunkIds: [hunkId], action};
  const answer = await agent.request<{applied: boolean; reason?: string}>('skills/edit/resolve', params);
  if (answer?.applied === false) {
    const why = answer.reason ?? 'the lines were changed since';
    void window.showWarningMessage(`Skills: nothing was taken back: ${why}.`);
  }
}

async function chooseSession(agent: Agent, chat: ChatPanel): Promise<void> {
  const other = {label: '$(add) New session', description: '', sessionId: undefined};
  const items = async () => [
    other,
    ...(await agent.sessions()).map(({sessionId, title, state, updatedAt}) => ({
      label: title === '' ? 'Empty' : title,
      description: state === 'closed' ? new Date(updatedAt).toLocaleString() : state,
      sessionId,
    })),
  ];
  const chosen = await window.showQuickPick(items(), {placeHolder: 'The conversation to go on with'});
  if (chosen !== undefined) {
    await agent.open(chosen.sessionId);
    await chat.focus();
  }
}

async function chooseSkill(view: SkillsView): Promise<SkillRow | undefined> {
  const items = view.runnable().map((row) => ({
    label: row.name,
    description: row.group === 'active' ? 'active' : '',
    detail: row.description,
    row,
  }));
  const placeHolder = items.length > 0 ? 'Which skill is the agent to run?' : 'There are no skills here';
  return (await window.showQuickPick(items, {placeHolder, matchOnDetail: true}))?.row;
}

async function answer(agent: Agent): Promise<void> {
  const [question] = agent.conversation.questions;
  if (question === undefined) {
    return;
  }
  const items = question.options.map(({name, optionId}) => ({label: name, optionId}));
  const own = {label: '$(edit) Your own words…', optionId: OWN_WORDS};
  const all = question.takesText === true ? [...items, own] : items;
  const about = {title: question.title, placeHolder: question.description};
  const chosen = await window.showQuickPick(all, about);
  const words = chosen === own ? await window.showInputBox(about) : undefined;
  if (chosen !== undefined && (chosen !== own || words !== undefined)) {
    agent.answer(question.requestId, chosen.optionId, words);
  }
}

async function menu({agent, chat}: Parts): Promise<void> {
  const running = agent.conversation.running !== undefined;
  const items = [
    {label: '$(comment) Ask the agent…', command: 'skills.ask', when: !running},
    {label: '$(play) Run a skill…', command: 'skills.run', when: !running},
    {
      label: '$(question) Answer the question…',
      command: 'skills.answer',
      when: agent.conversation.questions.length > 0,
    },
    {label: '$(debug-stop) Stop the agent', command: 'skills.stop', when: running},
    {label: '$(discard) Undo the last turn', command: 'skills.undoTurn', when: agent.conversation.lastEnd?.changed},
    {label: '$(comment-discussion) Sessions…', command: 'skills.sessions', when: true},
    {label: '$(list-tree) Show the skills', command: 'skills.list.focus', when: true},
    {label: '$(notebook) Open the transcript', command: 'skills.openTranscript', when: true},
    {label: '$(server) Select the model…', command: 'skills.selectModel', when: true},
    {label: '$(debug-restart) Restart the server', command: 'skills.restartServer', when: true},
    {label: '$(output) Show the log', command: 'skills.showLog', when: true},
  ].filter(({when}) => when);
  const chosen = await window.showQuickPick(items, {placeHolder: 'Skills'});
  if (chosen?.command === 'skills.ask') {
    await chat.focus();
  } else if (chosen !== undefined) {
    await commands.executeCommand(chosen.command);
  }
}
