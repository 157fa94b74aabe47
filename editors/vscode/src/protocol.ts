/** The messages beside the standard, as `server/lsp/protocol.md` describes them. What is unknown is skipped. */

/** Why a skill is active. */
export interface Why {
  readonly kind: string;
  readonly pattern?: string;
  readonly matched?: string;
}

/** A skill that a document activates. */
export interface ActiveSkill {
  readonly name: string;
  /** The skill's file, absolute. */
  readonly path?: string;
  readonly description: string;
  readonly why: readonly Why[];
  readonly dialect: string;
}

/** `skills/agent/status`: what is shown of the model. */
export interface AgentStatus {
  readonly model: AgentModel;
}

/** What the conversation's next turn asks. */
export interface AgentModel {
  /** Empty where there is none. */
  readonly name: string;
  /** The same with its provider. */
  readonly label: string;
  /** What the person must do before it can answer. */
  readonly problem?: string;
}

/** `skills/active`. */
export interface ActiveParams {
  readonly uri?: string;
  readonly skills: readonly ActiveSkill[];
}

/** One file that a tool changed. */
export interface FileChange {
  readonly operation: 'add' | 'modify' | 'delete';
  readonly path: string;
}

/** A block of text, or what a tool changed. */
export type Content =
  | {readonly type: 'text'; readonly text: string}
  | {readonly type: 'content'; readonly content: Content}
  | {readonly type: 'diff'; readonly changes: readonly FileChange[]};

/** What happens in a turn, in the shapes of the Agent Client Protocol. */
export type Update =
  | {readonly sessionUpdate: 'user_message'; readonly messageId: string; readonly content: readonly Content[]}
  | {
      readonly sessionUpdate: 'state_update';
      readonly state: 'running' | 'idle';
      readonly stopReason?: string;
      readonly _meta?: {readonly skills?: Ending};
    }
  | {readonly sessionUpdate: 'agent_message_chunk'; readonly messageId: string; readonly content: Content}
  | {
      readonly sessionUpdate: 'tool_call_update';
      readonly toolCallId: string;
      readonly title?: string;
      readonly name?: string;
      readonly status?: 'in_progress' | 'completed' | 'failed';
      readonly content?: readonly Content[];
      readonly rawInput?: unknown;
      readonly rawOutput?: string;
      readonly _meta?: {readonly skills?: {readonly truncated?: boolean; readonly milliseconds?: number}};
    }
  | {readonly sessionUpdate: 'config_option_update'; readonly configOptions: readonly ConfigOption[]}
  | {readonly sessionUpdate: '_skills_note'; readonly text: string}
  | {
      readonly sessionUpdate: '_skills_queue';
      readonly steering: readonly string[];
      readonly followUps: readonly {readonly turnId: string; readonly text: string; readonly skill?: string | null}[];
    };

/** Something that is chosen for a session: its `model`, `thought_level` or `mode`. */
export interface ConfigOption {
  readonly id: string;
  readonly currentValue: string;
}

/** The value of an option that nobody chose: the settings count. */
export const DEFAULT = 'default';

/** The answer to `skills/session/new` and `skills/session/resume`. */
export interface Opened {
  readonly sessionId: string;
  readonly configOptions: readonly ConfigOption[];
}

/** What happens to a prompt while a turn runs. */
export type Delivery = 'steer' | 'queue';

/** The answer to a command that brings input. */
export interface Delivered {
  readonly turnId?: string;
  readonly accepted: 'started' | 'queued' | 'steered' | 'done';
}

/** A session of `skills/session/list`. */
export interface ListedSession {
  readonly sessionId: string;
  readonly title: string;
  readonly updatedAt: number;
  readonly state: 'running' | 'idle' | 'closed';
}

/** Lines that the agent changed, and nobody decided about. */
export interface ChangedHunk {
  readonly changeId: number;
  readonly hunkId: number;
  /** The lines as they are; empty where they were only removed. */
  readonly range: {
    readonly start: {readonly line: number; readonly character: number};
    readonly end: {readonly line: number; readonly character: number};
  };
  readonly oldText: string;
}

/** `skills/edit/changes`. */
export interface ChangesParams {
  readonly uri: string;
  readonly version: number;
  readonly hunks: readonly ChangedHunk[];
}

/** `skills/workspace/didChangeTrust`. */
export interface TrustParams {
  readonly items: readonly {readonly folderUri: string; readonly trusted: boolean}[];
}

/** `skills/textDocument/didFocus`; `null` where no document is shown. */
export interface FocusParams {
  readonly textDocument: {readonly uri: string} | null;
  readonly selection?: ChangedHunk['range'] | undefined;
}

/** The answer to `skills/workspace/save`. */
export interface SaveAnswer {
  readonly saved: readonly string[];
  readonly failed: readonly {readonly uri: string; readonly message: string}[];
}

/** What one system makes of a skill. */
export interface Reader {
  readonly reader: string;
  readonly title: string;
  readonly recorded: string;
  readonly readsPlace: boolean;
  readonly outcome: string;
  readonly loads: boolean;
  readonly listed: boolean;
  readonly name?: string;
  readonly description?: string;
  readonly command?: string;
  readonly reason?: string;
  readonly listing?: string;
}

/** The answer to `skills/readers`. */
export interface ReadersAnswer {
  readonly name: string;
  readonly summary: string;
  readonly readers: readonly Reader[];
}

/** How a turn ended. */
export interface Ending {
  /** For the person; nothing where all is well. */
  readonly message?: string | null;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** `skills/session/update`. */
export interface UpdateParams {
  readonly sessionId: string;
  readonly turnId: string;
  readonly seq: number;
  readonly update: Update;
}

/** One answer to a question. */
export interface Option {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'reject_once' | 'reject_always' | 'allow_once' | 'allow_always';
}

/** `skills/permission/request`. */
export interface Question {
  readonly sessionId: string;
  readonly requestId: string;
  readonly title: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** Whether words of the person's own are an answer too, with the option `text`. */
  readonly takesText?: boolean;
}

/** The option of an answer in the person's own words. */
export const OWN_WORDS = 'text';

/** The answer: whatever is no chosen option allows nothing. */
export interface Answer {
  readonly outcome: {readonly outcome: 'selected'; readonly optionId: string} | {readonly outcome: 'cancelled'};
  /** The person's own words. */
  readonly message?: string;
}

/** `skills/permission/resolved`. */
export interface Resolved {
  readonly requestId: string;
  readonly optionId?: string;
}

/** What `skills-ls list --json` prints of one skill. */
export interface ListedSkill {
  readonly name: string;
  readonly path: string | null;
  readonly description: string;
  readonly argumentHint: string | null;
  readonly dialect: string;
  readonly source: string;
  readonly state: string;
  readonly shadowedBy: string | null;
  readonly errors: readonly string[];
}

/** The server's commands that this extension sends. */
export const Command = {
  ask: 'skills.server.ask',
  run: 'skills.server.run',
  cancel: 'skills.server.cancel',
  dequeue: 'skills.server.dequeue',
  keep: 'skills.server.keep',
  undo: 'skills.server.undo',
  newSession: 'skills.server.newSession',
  undoTurn: 'skills.server.undoTurn',
  openTranscript: 'skills.server.openTranscript',
  newSkill: 'skills.server.newSkill',
  preview: 'skills.server.preview',
  models: 'skills.server.models',
} as const;

/** A part of what is said to a model, or by it. */
export type ModelPart =
  | {readonly type: 'text'; readonly text: string}
  | {readonly type: 'tool_call'; readonly callId: string; readonly name: string; readonly input: object}
  | {readonly type: 'tool_result'; readonly callId: string; readonly content: string; readonly isError: boolean};

/** A message to a model. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ModelPart[];
}

/** `skills/lm/request`. */
export interface ModelRequest {
  readonly requestId: string;
  /** The model in the editor's words; without it the editor chooses. */
  readonly model?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly {readonly name: string; readonly description: string; readonly inputSchema: object}[];
  readonly toolMode: 'auto' | 'required';
}

/** A model of `skills/models/list`. */
export interface ListedModel {
  readonly modelId: string;
  readonly name: string;
  readonly provider: string;
  readonly isCurrent: boolean;
}
