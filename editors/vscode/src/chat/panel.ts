import {randomBytes} from 'node:crypto';
import {basename, isAbsolute} from 'node:path';
import {
  type Disposable,
  type Event,
  Uri,
  type Webview,
  type WebviewView,
  type WebviewViewProvider,
  commands,
  window,
  workspace,
} from 'vscode';

import {type Agent, activePlace} from '../agent.ts';
import {Command} from '../protocol.ts';
import type {RunnableSkill} from '../skillsView.ts';
import type {FromPage, OfferedSkill, PageState, ToPage} from './messages.ts';

/** What the panel shows beside the conversation. */
export interface Beside {
  /** The skills that can be run, the active ones first. */
  readonly runnable: () => readonly RunnableSkill[];
  /** Others can be run, or others are active. */
  readonly onDidChange: Event<unknown>;
}

/** The agent's view: shows the conversation in a page, and does what the person clicks there. */
export class ChatPanel implements WebviewViewProvider, Disposable {
  static readonly id = 'skills.chat';

  readonly #agent: Agent;
  readonly #beside: Beside;
  readonly #extension: Uri;
  #view: WebviewView | undefined;
  /** What the person is to be led to once the page is there. */
  #waiting: ToPage | undefined;
  #disposables: Disposable[];

  constructor(agent: Agent, beside: Beside, extension: Uri) {
    this.#agent = agent;
    this.#beside = beside;
    this.#extension = extension;
    const tell = () => this.#tellState();
    this.#disposables = [
      agent.onDidSay((entries) => this.#send({type: 'entries', entries})),
      agent.onDidClear(() => this.#send({type: 'conversation', entries: agent.conversation.entries})),
      agent.onDidChange(tell),
      beside.onDidChange(() => this.#tellSkills()),
      window.onDidChangeActiveTextEditor(tell),
      window.onDidChangeTextEditorSelection(tell),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('skills') && tell()),
    ];
  }

  /** Brings the view up, and leaves the cursor where it is. */
  async reveal(): Promise<void> {
    if (!this.#view?.visible) {
      await commands.executeCommand(`${ChatPanel.id}.focus`, {preserveFocus: true});
    }
  }

  /** Brings the view up with the cursor in its prompt. */
  async focus(text = ''): Promise<void> {
    await commands.executeCommand(`${ChatPanel.id}.focus`);
    const message: ToPage = {type: 'prompt', text};
    if (this.#view === undefined) {
      this.#waiting = message;
    } else {
      this.#send(message);
    }
  }

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    const {webview} = view;
    webview.options = {enableScripts: true, localResourceRoots: [Uri.joinPath(this.#extension, 'dist')]};
    webview.onDidReceiveMessage((message: FromPage) => void this.#take(message));
    view.onDidDispose(() => (this.#view = undefined));
    webview.html = page(webview, this.#extension);
    this.#tellState();
  }

  dispose(): void {
    this.#disposables.forEach((disposable) => void disposable.dispose());
  }

  async #take(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#send({type: 'conversation', entries: this.#agent.conversation.entries});
        this.#tellSkills();
        this.#tellState();
        if (this.#waiting !== undefined) {
          this.#send(this.#waiting);
          this.#waiting = undefined;
        }
        break;
      case 'prompt':
        await this.#agent.prompt(message.text, activePlace(), message.delivery);
        break;
      case 'dequeue':
        await this.#agent.execute(Command.dequeue, message.turnId);
        break;
      case 'stop':
        await this.#agent.execute(Command.cancel);
        break;
      case 'answer':
        this.#agent.answer(message.requestId, message.optionId, message.words);
        break;
      case 'undo':
        await this.#agent.execute(Command.undoTurn, message.turnId);
        break;
      case 'review':
        await commands.executeCommand('skills.nextChange');
        break;
      case 'keep':
        await commands.executeCommand('skills.keepAll');
        break;
      case 'open':
        await open(message.path);
        break;
      case 'model':
        await commands.executeCommand('skills.selectModel');
        break;
    }
  }

  #send(message: ToPage): void {
    void this.#view?.webview.postMessage(message);
  }

  #tellState(): void {
    const view = this.#view;
    if (view === undefined) {
      return;
    }
    const {conversation, server} = this.#agent;
    const waiting = conversation.questions.length;
    view.badge = waiting > 0 ? {value: waiting, tooltip: 'The agent has a question'} : undefined;
    const state: PageState = {
      server,
      running: conversation.running !== undefined,
      activity: conversation.activity ?? '',
      model: this.#agent.asked,
      waiting: conversation.waiting,
      about: about(),
    };
    this.#send({type: 'state', state});
  }

  /** Apart from the rest, which changes with each move of the cursor: there may be a thousand. */
  #tellSkills(): void {
    if (this.#view === undefined) {
      return;
    }
    const skills = this.#beside.runnable().map(
      (skill): OfferedSkill => ({
        name: skill.name,
        description: skill.description,
        hint: skill.hint,
        why: skill.reasons.map((reason) => (reason.kind === 'why' ? reason.text : '')).join('\n'),
      }),
    );
    this.#send({type: 'skills', skills});
  }
}

function about(): string {
  const {uri, range} = activePlace();
  if (uri === undefined) {
    return '';
  }
  const name = basename(Uri.parse(uri).path);
  if (range === undefined || (range.start.line === range.end.line && range.start.character === range.end.character)) {
    return name;
  }
  const [first, last] = [range.start.line + 1, range.end.line + 1];
  return first === last ? `${name}, line ${first}` : `${name}, lines ${first}–${last}`;
}

/** Opens a file that a tool named: below a folder of the workspace, and nothing else. */
async function open(path: string): Promise<void> {
  const file = Uri.file(path);
  if (isAbsolute(path) && workspace.getWorkspaceFolder(file) !== undefined) {
    await window.showTextDocument(file, {preview: true});
  }
}

function page(webview: Webview, extension: Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string) => webview.asWebviewUri(Uri.joinPath(extension, 'dist', name)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width">
  <link rel="stylesheet" href="${file('chat-style.css')}">
  <title>Agent</title>
</head>
<body>
  <script nonce="${nonce}" src="${file('chat.js')}"></script>
</body>
</html>`;
}
