/** The conversation as the person sees it: made from the server's updates, one entry after the other. */
import type {Content, FileChange, Question, Resolved, UpdateParams} from './protocol.ts';

/** What stands in the conversation. `id` is unique in it: an entry that comes again replaces the one before. */
export type Entry =
  | {readonly kind: 'person'; readonly id: string; readonly text: string}
  | {readonly kind: 'agent'; readonly id: string; readonly text: string}
  | ToolEntry
  | {readonly kind: 'note'; readonly id: string; readonly text: string; readonly severity: 'info' | 'error'}
  | QuestionEntry
  | EndEntry;

/** A call of a tool. */
export interface ToolEntry {
  readonly kind: 'tool';
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly status: 'in_progress' | 'completed' | 'failed';
  readonly input?: string;
  readonly output: string;
  readonly changes: readonly Change[];
  readonly truncated: boolean;
  readonly milliseconds?: number;
}

/** A file that a tool changed. */
export interface Change extends FileChange {
  /** The path as the person would say it. */
  readonly label: string;
}

/** A question to the person. `answer` is the chosen option's name, or '' once nothing can be chosen any more. */
export interface QuestionEntry {
  readonly kind: 'question';
  readonly id: string;
  readonly question: Question;
  readonly answer?: string;
}

/** A turn's end. */
export interface EndEntry {
  readonly kind: 'end';
  readonly id: string;
  readonly turnId: string;
  readonly reason: string;
  readonly message: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the turn changed files. */
  readonly changed: boolean;
}

/** Input that waits: said into the turn before its next step, or a turn of its own afterwards. */
export interface Waiting {
  readonly text: string;
  /** The turn that it is to become; nothing where it goes into the running one. */
  readonly turnId?: string;
}

/** Older entries are in the transcript. */
const MOST_ENTRIES = 1_000;
/** One entry's text; the transcript has all of it. */
const MOST_TEXT = 200_000;

/** A conversation. Each method returns the entries that it added or replaced. */
export class Conversation {
  #entries = new Map<string, Entry>();
  #running: string | undefined;
  #waiting: readonly Waiting[] = [];
  #notes = 0;
  /** What the person chose instead of writing a prompt. */
  #chosen = '';
  readonly #label: (path: string) => string;

  /** @param label Says a path as the person would. */
  constructor(label: (path: string) => string = (path) => path) {
    this.#label = label;
  }

  /** All entries, in their order. */
  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** The turn that runs. */
  get running(): string | undefined {
    return this.#running;
  }

  /** What waits, in its order. */
  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  /** Forgets all that was said: another conversation is shown. */
  clear(): void {
    this.#entries.clear();
    this.#running = undefined;
    this.#waiting = [];
  }

  /** What the agent is doing, in one line; nothing while it is idle. */
  get activity(): string | undefined {
    if (this.#running === undefined) {
      return undefined;
    }
    if (this.questions.length > 0) {
      return 'waiting for your answer';
    }
    const last = this.entries.at(-1);
    return last?.kind === 'tool' && last.status === 'in_progress' ? `${last.name} ${last.title}`.trim() : 'thinking';
  }

  /** How the last turn ended. */
  get lastEnd(): EndEntry | undefined {
    return this.entries.findLast((entry) => entry.kind === 'end');
  }

  /** The tokens of all turns that ended: those that models read, and those that they wrote. */
  get tokens(): {readonly read: number; readonly written: number} {
    const ends = this.entries.filter((entry) => entry.kind === 'end');
    const sum = (of: (end: EndEntry) => number) => ends.reduce((all, end) => all + of(end), 0);
    return {read: sum(({inputTokens}) => inputTokens), written: sum(({outputTokens}) => outputTokens)};
  }

  /** The questions that wait for an answer. */
  get questions(): readonly Question[] {
    return this.entries.flatMap((entry) =>
      entry.kind === 'question' && entry.answer === undefined ? [entry.question] : [],
    );
  }

  /** Takes an update of the server. */
  update({turnId, update}: UpdateParams): readonly Entry[] {
    switch (update.sessionUpdate) {
      case 'user_message':
        return this.#put({kind: 'person', id: update.messageId, text: this.#chosen || text(update.content)});
      case 'agent_message_chunk': {
        const before = this.#entries.get(update.messageId);
        const said = before?.kind === 'agent' ? before.text : '';
        return this.#put({kind: 'agent', id: update.messageId, text: said + text([update.content])});
      }
      case 'tool_call_update': {
        // The model numbers its calls, anew in each turn.
        const id = `${turnId}/${update.toolCallId}`;
        const before = this.#entries.get(id);
        const call: ToolEntry =
          before?.kind === 'tool'
            ? before
            : {
                kind: 'tool',
                id,
                name: '',
                title: '',
                status: 'in_progress',
                output: '',
                changes: [],
                truncated: false,
              };
        const meta = update._meta?.skills;
        const content = update.content ?? [];
        const input = update.rawInput == null ? call.input : inWords(update.rawInput);
        const milliseconds = meta?.milliseconds ?? call.milliseconds;
        return this.#put({
          ...call,
          name: update.name ?? call.name,
          title: update.title ?? call.title,
          status: update.status ?? call.status,
          // The line that says how it ended is a part of most outputs, and all there is of a call of long ago.
          output: update.rawOutput || call.output + text(content),
          changes: [...call.changes, ...this.#changes(content)],
          truncated: meta?.truncated ?? call.truncated,
          ...(input === undefined ? {} : {input}),
          ...(milliseconds === undefined ? {} : {milliseconds}),
        });
      }
      case 'state_update': {
        if (update.state === 'running') {
          this.#running = turnId;
          return [];
        }
        this.#running = undefined;
        const ending = update._meta?.skills;
        return this.#put({
          kind: 'end',
          id: `${turnId}/end`,
          turnId,
          reason: update.stopReason ?? 'end_turn',
          message: ending?.message ?? '',
          inputTokens: ending?.inputTokens ?? 0,
          outputTokens: ending?.outputTokens ?? 0,
          changed: this.entries.some(
            (entry) => entry.kind === 'tool' && entry.id.startsWith(`${turnId}/`) && entry.changes.length > 0,
          ),
        });
      }
      case '_skills_queue':
        this.#waiting = [
          ...update.steering.map((words) => ({text: words})),
          ...update.followUps.map(({turnId: id, text: words, skill}) => ({
            turnId: id,
            text: skill == null ? words : `/${skill} ${words}`.trim(),
          })),
        ];
        return [];
      case '_skills_note':
        return this.note(update.text, 'info');
      default:
        // More kinds may come.
        return [];
    }
  }

  /** The person started a turn by choosing what stands here, such as `/NAME`; empty: by writing a prompt. */
  chose(words: string): void {
    this.#chosen = words;
  }

  /** Adds a line for the person. */
  note(words: string, severity: 'info' | 'error'): readonly Entry[] {
    this.#notes += 1;
    return this.#put({kind: 'note', id: `note-${this.#notes}`, text: words, severity});
  }

  /** Adds a question. */
  ask(question: Question): readonly Entry[] {
    return this.#put({kind: 'question', id: question.requestId, question});
  }

  /** Closes a question, whoever answered it, and in which words of their own. */
  resolve({requestId, optionId}: Resolved, words?: string): readonly Entry[] {
    const entry = this.#entries.get(requestId);
    if (entry?.kind !== 'question' || entry.answer !== undefined) {
      return [];
    }
    const option = entry.question.options.find((candidate) => candidate.optionId === optionId);
    return this.#put({...entry, answer: words ?? option?.name ?? ''});
  }

  /** The server is gone, and with it what it was doing. */
  interrupt(): readonly Entry[] {
    const closed = this.questions.flatMap((question) => this.resolve(question));
    const unfinished = this.entries.flatMap((entry) =>
      entry.kind === 'tool' && entry.status === 'in_progress' ? this.#put({...entry, status: 'failed' as const}) : [],
    );
    if (this.#running === undefined) {
      return [...closed, ...unfinished];
    }
    this.#running = undefined;
    this.#waiting = [];
    return [...closed, ...unfinished, ...this.note('The server stopped in the middle of this turn.', 'error')];
  }

  #changes(content: readonly Content[]): Change[] {
    const changes = content.flatMap((block) => (block.type === 'diff' ? block.changes : []));
    return changes.map((change) => ({...change, label: this.#label(change.path)}));
  }

  #put(entry: Entry): readonly Entry[] {
    const capped = cap(entry);
    const isNew = !this.#entries.has(capped.id);
    this.#entries.set(capped.id, capped);
    // A question may overtake what led to it; what waits for the person stands last.
    for (const other of isNew ? this.entries : []) {
      if (other.kind === 'question' && other.answer === undefined && other !== capped) {
        this.#entries.delete(other.id);
        this.#entries.set(other.id, other);
      }
    }
    for (const id of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ENTRIES) {
        break;
      }
      this.#entries.delete(id);
    }
    return [capped];
  }
}

function cap(entry: Entry): Entry {
  const cut = (whole: string) =>
    whole.length <= MOST_TEXT ? whole : `${whole.slice(0, MOST_TEXT)}\n[cut here; the transcript has all of it]`;
  if (entry.kind === 'agent' || entry.kind === 'person') {
    return {...entry, text: cut(entry.text)};
  }
  return entry.kind === 'tool' ? {...entry, output: cut(entry.output)} : entry;
}

/** Arguments as a person reads them: each on a line of its own, texts of several lines below their name. */
function inWords(input: unknown): string {
  if (typeof input !== 'object' || input === null) {
    return typeof input === 'string' ? input : JSON.stringify(input);
  }
  const lines = Object.entries(input).map(([name, value]) => {
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    return words.includes('\n') ? `${name}:\n${words.replace(/^/gm, '  ')}` : `${name}: ${words}`;
  });
  return lines.join('\n');
}

function text(blocks: readonly Content[]): string {
  return blocks
    .map((block) => (block.type === 'text' ? block.text : block.type === 'content' ? text([block.content]) : ''))
    .join('');
}
