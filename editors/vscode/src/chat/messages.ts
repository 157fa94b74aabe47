/** What the extension and the page of the agent's view say to each other. */
import type {Entry, Waiting} from '../conversation.ts';
import type {AgentModel, Delivery} from '../protocol.ts';

/** From the extension. */
export type ToPage =
  /** The whole conversation, before anything else: the page may be made anew at any time. */
  | {readonly type: 'conversation'; readonly entries: readonly Entry[]}
  | {readonly type: 'entries'; readonly entries: readonly Entry[]}
  | {readonly type: 'state'; readonly state: PageState}
  /** The skills that can be run, the active ones first. */
  | {readonly type: 'skills'; readonly skills: readonly OfferedSkill[]}
  /** Put the cursor into the prompt, before this text. */
  | {readonly type: 'prompt'; readonly text: string};

/** What stands around the conversation. */
export interface PageState {
  readonly server: 'starting' | 'running' | 'stopped';
  readonly running: boolean;
  readonly activity: string;
  /** What answers, and what must be done before it can. */
  readonly model: AgentModel;
  /** What the person said while a turn runs, and the model has not read yet. */
  readonly waiting: readonly Waiting[];
  /** What a prompt would be about: a file's name and lines; empty for nothing. */
  readonly about: string;
}

/** A skill that a prompt may name. */
export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  /** What it takes; empty for nothing that it tells. */
  readonly hint: string;
  /** Why it is active; empty where it is not. */
  readonly why: string;
}

/** From the page. */
export type FromPage =
  | {readonly type: 'ready'}
  | {readonly type: 'prompt'; readonly text: string; readonly delivery?: Delivery}
  | {readonly type: 'dequeue'; readonly turnId: string}
  | {readonly type: 'stop'}
  | {readonly type: 'answer'; readonly requestId: string; readonly optionId: string; readonly words?: string}
  | {readonly type: 'undo'; readonly turnId: string}
  /** Go to the first change, or keep them all. */
  | {readonly type: 'review' | 'keep'}
  | {readonly type: 'open'; readonly path: string}
  | {readonly type: 'model'};
