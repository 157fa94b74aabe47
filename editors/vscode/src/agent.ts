import {EventEmitter, Uri, commands, window, workspace} from 'vscode';
import type {LanguageClient} from 'vscode-languageclient/node';

import {Conversation, type Entry} from './conversation.ts';
import {
  type ActiveParams,
  type ActiveSkill,
  type AgentModel,
  type AgentStatus,
  type Answer,
  Command,
  type ConfigOption,
  DEFAULT,
  type Delivered,
  type Delivery,
  type ListedSession,
  type ListedModel,
  OWN_WORDS,
  type Opened,
  type Question,
  type Resolved,
  type UpdateParams,
} from './protocol.ts';
import {modelName} from './settings.ts';

/** What the person can rely on while they look at the screen. */
export type ServerState = 'starting' | 'running' | 'stopped';

/** The selection that a prompt is about. */
export interface Place {
  readonly uri?: string;
  readonly range?: {
    readonly start: {readonly line: number; readonly character: number};
    readonly end: {readonly line: number; readonly character: number};
  };
}

/** The one owner of what this extension knows of the server: views read it and are told when it changes. */
export class Agent {
  readonly conversation = new Conversation((path) => workspace.asRelativePath(path));

  #client: LanguageClient | undefined;
  #server: ServerState = 'stopped';
  #active = new Map<string, readonly ActiveSkill[]>();
  #answers = new Map<string, (answer: Answer) => void>();
  #changed = new EventEmitter<void>();
  #activated = new EventEmitter<void>();
  #said = new EventEmitter<readonly Entry[]>();
  #cleared = new EventEmitter<void>();
  /** The session that is shown; nothing: whichever the server began with. */
  #session: string | undefined;
  /** The model that was chosen for it; nothing: the settings'. */
  #model: string | undefined;
  /** What the server says that its next turn asks. */
  #asked: AgentModel | undefined;

  /** Anything but the conversation's text changed. */
  readonly onDidChange = this.#changed.event;
  /** Other skills are active, or for other reasons. */
  readonly onDidActivate = this.#activated.event;
  /** Entries were added to the conversation or replaced. */
  readonly onDidSay = this.#said.event;
  /** Another conversation is shown, from its start. */
  readonly onDidClear = this.#cleared.event;

  get server(): ServerState {
    return this.#server;
  }

  /** The model that is chosen for the conversation: by the person, or by the settings. */
  get model(): string {
    return this.#model ?? modelName();
  }

  /** What the conversation's next turn asks. */
  get asked(): AgentModel {
    return this.#asked ?? {name: this.model, label: this.model};
  }

  /** The active skills of a document, or of all open ones. */
  active(uri?: Uri): readonly ActiveSkill[] {
    return uri === undefined ? [...this.#active.values()].flat() : (this.#active.get(uri.toString()) ?? []);
  }

  /** The documents with active skills. */
  get activeDocuments(): ReadonlyMap<string, readonly ActiveSkill[]> {
    return this.#active;
  }

  /** Whether the server has a command: some come with newer ones. */
  can(command: string): boolean {
    const known = this.#client?.initializeResult?.capabilities.executeCommandProvider?.commands;
    return this.#server === 'running' && (known?.includes(command) ?? false);
  }

  /** Listens to a client, which is not started yet. */
  attach(client: LanguageClient): void {
    this.#client = client;
    client.onNotification('skills/active', ({uri, skills}: ActiveParams) => {
      if (uri !== undefined) {
        this.#setActive(Uri.parse(uri).toString(), skills);
      }
    });
    client.onNotification('skills/agent/status', ({model}: AgentStatus) => {
      this.#asked = model;
      this.#tellChange();
    });
    client.onNotification('skills/session/update', (params: UpdateParams) => {
      this.#session ??= params.sessionId;
      if (params.sessionId !== this.#session) {
        return;
      }
      if (params.update.sessionUpdate === 'config_option_update') {
        this.#take(params.update.configOptions);
        return;
      }
      const running = this.conversation.running;
      this.#say(this.conversation.update(params));
      const {sessionUpdate} = params.update;
      if (
        running !== this.conversation.running ||
        sessionUpdate === 'tool_call_update' ||
        sessionUpdate === '_skills_queue'
      ) {
        this.#tellChange();
      }
    });
    client.onRequest('skills/permission/request', (question: Question, token) => {
      token.onCancellationRequested(() => this.#resolve({requestId: question.requestId}));
      return this.#ask(question);
    });
    client.onNotification('skills/permission/resolved', (resolved: Resolved) => this.#resolve(resolved));
  }

  /** Takes what happened to the server; that of a client whose place another took is of no account. */
  serverIs(state: ServerState, of = this.#client): void {
    if (of !== this.#client) {
      return;
    }
    this.#server = state;
    if (state === 'stopped') {
      this.#active.clear();
      this.#activated.fire();
      this.#answers.clear();
      this.#session = undefined;
      this.#model = undefined;
      this.#asked = undefined;
      this.#say(this.conversation.interrupt());
    }
    this.#tellChange();
  }

  /** The person sends a command that starts a turn. */
  starting(command: string, [first, second]: readonly unknown[]): void {
    if (this.conversation.running !== undefined) {
      return;
    }
    const words = String(first);
    const chosen = command === Command.run ? `/${words} ${String(second ?? '')}`.trim() : words;
    this.conversation.chose(chosen.startsWith('/') ? chosen : '');
  }

  /** Sends a request of the server's own. What goes wrong is told to the person, and answered with nothing. */
  async request<T>(method: string, params: object): Promise<T | undefined> {
    try {
      return this.#server === 'running' ? await this.#client?.sendRequest<T>(method, params) : undefined;
    } catch (error) {
      void window.showErrorMessage(`Skills: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** The sessions of these folders, open ones first. */
  async sessions(): Promise<readonly ListedSession[]> {
    const answer = await this.request<{sessions: ListedSession[]}>('skills/session/list', {});
    return answer?.sessions ?? [];
  }

  /** Shows a session and goes on with it; without one, begins another. */
  async open(sessionId?: string): Promise<void> {
    const before = this.#session;
    this.#session = sessionId ?? '';
    this.conversation.clear();
    const opened = await this.request<Opened>(
      sessionId === undefined ? 'skills/session/new' : 'skills/session/resume',
      sessionId === undefined ? {} : {sessionId, replayFrom: {type: 'start'}},
    );
    this.#session = opened?.sessionId ?? before;
    this.#cleared.fire();
    this.#take(opened?.configOptions ?? []);
  }

  /** Sends a command to the server. What goes wrong is told to the person, and answered with nothing. */
  async execute(command: string, ...args: unknown[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined || this.#server !== 'running') {
      void window.showErrorMessage('Skills: the server is not running.', 'Show Log').then((choice) => {
        if (choice !== undefined) {
          void commands.executeCommand('skills.showLog');
        }
      });
      return undefined;
    }
    if (command === Command.ask || command === Command.run) {
      this.starting(command, args);
    }
    try {
      return await client.sendRequest('workspace/executeCommand', {command, arguments: args});
    } catch (error) {
      this.#say(this.conversation.note(messageOf(error), 'error'));
      void window.showErrorMessage(`Skills: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** The models that the server can reach; none where it can't tell. */
  async models(): Promise<readonly ListedModel[]> {
    const answer = await this.request<{models: ListedModel[]}>('skills/models/list', {});
    return answer?.models ?? [];
  }

  /**
   * Brings input: a prompt, `/NAME ARGUMENTS` for a skill, or a command such as `/help`. Tells whether it becomes a
   * turn.
   */
  async prompt(text: string, place: Place, delivery?: Delivery): Promise<boolean> {
    const about = delivery === undefined ? place : {...place, delivery};
    const delivered = (await this.execute(Command.ask, text, about)) as Delivered | undefined;
    return delivered !== undefined && delivered.accepted !== 'done';
  }

  /** Answers an open question, where it takes them in the person's own words; without an option nothing is allowed. */
  answer(requestId: string, optionId?: string, words?: string): void {
    const question = this.conversation.questions.find((open) => open.requestId === requestId);
    const isOwn = question?.takesText === true && optionId === OWN_WORDS && words !== undefined;
    // Only what was offered counts: an answer comes from a page, and this one is late or made up.
    if (question === undefined || !(isOwn || question.options.some((option) => option.optionId === optionId))) {
      this.#resolve({requestId});
      return;
    }
    const answer = this.#answers.get(requestId);
    this.#answers.delete(requestId);
    const outcome = {outcome: 'selected', optionId: optionId as string} as const;
    answer?.(isOwn ? {outcome, message: words} : {outcome});
    this.#say(this.conversation.resolve({requestId, optionId: optionId as string}, isOwn ? words : undefined));
    this.#tellChange();
  }

  #ask(question: Question): Promise<Answer> {
    const answered = new Promise<Answer>((resolve) => this.#answers.set(question.requestId, resolve));
    this.#say(this.conversation.ask(question));
    this.#tellChange();
    return answered;
  }

  #resolve(resolved: Resolved): void {
    this.#answers.get(resolved.requestId)?.({outcome: {outcome: 'cancelled'}});
    this.#answers.delete(resolved.requestId);
    this.#say(this.conversation.resolve(resolved));
    this.#tellChange();
  }

  #take(options: readonly ConfigOption[]): void {
    const model = options.find(({id}) => id === 'model')?.currentValue;
    this.#model = model === DEFAULT ? undefined : model;
    this.#tellChange();
  }

  #setActive(uri: string, skills: readonly ActiveSkill[]): void {
    if (skills.length > 0) {
      this.#active.set(uri, skills);
    } else {
      this.#active.delete(uri);
    }
    this.#activated.fire();
    this.#tellChange();
  }

  #say(entries: readonly Entry[]): void {
    if (entries.length > 0) {
      this.#said.fire(entries);
    }
  }

  #tellChange(): void {
    void commands.executeCommand('setContext', 'skills.running', this.conversation.running !== undefined);
    const undoable = this.conversation.running === undefined && (this.conversation.lastEnd?.changed ?? false);
    void commands.executeCommand('setContext', 'skills.undoable', undoable);
    void commands.executeCommand('setContext', 'skills.asking', this.conversation.questions.length > 0);
    void commands.executeCommand('setContext', 'skills.canCreate', this.can(Command.newSkill));
    this.#changed.fire();
  }
}

/** The selection in the active editor, where it shows a document that the server knows. */
export function activePlace(): Place {
  const editor = window.activeTextEditor;
  if (editor === undefined || !['file', 'untitled'].includes(editor.document.uri.scheme)) {
    return {};
  }
  const {start, end} = editor.selection;
  return {
    uri: editor.document.uri.toString(),
    range: {
      start: {line: start.line, character: start.character},
      end: {line: end.line, character: end.character},
    },
  };
}

/** An error's message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
