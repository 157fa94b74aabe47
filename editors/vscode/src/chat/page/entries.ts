import type {EndEntry, Entry, QuestionEntry, ToolEntry} from '../../conversation.ts';
import {OWN_WORDS} from '../../protocol.ts';
import type {FromPage} from '../messages.ts';
import {element, markdown} from './markdown.ts';

/** Tells the extension what the person did. */
export type Send = (message: FromPage) => void;

/** Makes what an entry looks like. `before` is what it looked like, so that what the person opened stays open. */
export function show(entry: Entry, send: Send, before?: HTMLElement): HTMLElement {
  switch (entry.kind) {
    case 'person':
      return element('article', {className: 'person', ariaLabel: 'You'}, element('p', {}, entry.text));
    case 'agent':
      return element('article', {className: 'agent', ariaLabel: 'Agent'}, markdown(entry.text));
    case 'note':
      return element('p', {className: `note ${entry.severity}`}, entry.text);
    case 'tool':
      return showTool(entry, send, before?.querySelector('details')?.open ?? false);
    case 'question':
      return showQuestion(entry, send);
    case 'end':
      return showEnd(entry, send);
  }
}

const STATUS = {
  in_progress: {mark: '…', word: 'running'},
  completed: {mark: '✓', word: 'done'},
  failed: {mark: '✗', word: 'failed'},
} as const;

function showTool(call: ToolEntry, send: Send, open: boolean): HTMLElement {
  const {mark, word} = STATUS[call.status];
  const time = call.milliseconds === undefined ? '' : ` ${duration(call.milliseconds)}`;
  const summary = element(
    'summary',
    {ariaLabel: `Tool ${call.name} ${call.title}: ${word}`},
    element('span', {className: 'mark', ariaHidden: 'true'}, mark),
    element('span', {className: 'name'}, call.name),
    element('span', {className: 'title'}, call.title),
    element('span', {className: 'time'}, time),
  );
  const details = element('details', {open}, summary);
  const blocks = {Arguments: call.input ?? '', Output: call.output};
  for (const [label, words] of Object.entries(blocks).filter(([, words]) => words !== '')) {
    const title = element('p', {className: 'label', ariaHidden: 'true'}, label);
    details.append(title, element('pre', {tabIndex: 0, ariaLabel: label}, words));
  }
  if (call.truncated) {
    details.append(element('p', {className: 'note info'}, 'The model was given a part of the output.'));
  }
  const article = element('article', {className: `tool ${call.status}`}, details);
  for (const {operation, path, label} of call.changes) {
    const verb = {add: 'Added', modify: 'Changed', delete: 'Deleted'}[operation];
    const open = element('button', {className: 'link', onclick: () => send({type: 'open', path}), title: path}, label);
    article.append(element('p', {className: 'change'}, `${verb} `, operation === 'delete' ? label : open));
  }
  return article;
}

function showQuestion({question, answer}: QuestionEntry, send: Send): HTMLElement {
  const id = `question-${question.requestId}`;
  const article = element(
    'article',
    {className: answer === undefined ? 'question' : 'question answered', role: 'group'},
    element('h2', {id}, question.title),
    diff(question.description),
  );
  article.setAttribute('aria-labelledby', id);
  if (answer !== undefined) {
    article.append(element('p', {className: 'note info'}, answer === '' ? 'Not answered.' : `You chose: ${answer}`));
    return article;
  }
  const {requestId} = question;
  // What allows nothing stands first: a mere Enter must not allow anything.
  const options = [...question.options].sort((one, other) => rank(one.kind) - rank(other.kind));
  const button = ({optionId, name, kind}: (typeof options)[number]) =>
    element(
      'button',
      {className: kind === 'allow_once' ? 'primary' : '', onclick: () => send({type: 'answer', requestId, optionId})},
      name,
    );
  // What is asked about stays in sight: what allows more than this once unfolds.
  const isOnce = options.some(({kind}) => kind === 'allow_once');
  const lasting = options.filter(({kind}) => isOnce && kind === 'allow_always');
  const others = options.filter((option) => !lasting.includes(option));
  article.append(element('div', {className: 'choices'}, ...others.map(button)));
  if (lasting.length > 0) {
    const choices = element('div', {className: 'choices'}, ...lasting.map(button));
    article.append(element('details', {className: 'lasting'}, element('summary', {}, 'Allow more than this'), choices));
  }
  if (question.takesText === true) {
    const label = 'Answer in your own words';
    const words = element('input', {type: 'text', ariaLabel: label, placeholder: label});
    words.onkeydown = ({key, isComposing}) => {
      if (key === 'Enter' && !isComposing && words.value.trim() !== '') {
        send({type: 'answer', requestId, optionId: OWN_WORDS, words: words.value.trim()});
      }
    };
    article.append(words);
  }
  return article;
}

function rank(kind: string): number {
  return ['reject_once', 'reject_always', 'allow_once', 'allow_always'].indexOf(kind);
}

/** A question's details; lines that a change adds or takes away look like it, and are read out as such. */
function diff(text: string): HTMLElement {
  const box = element('pre', {className: 'diff', tabIndex: 0, ariaLabel: 'Details'});
  for (const line of text.trimEnd().split('\n')) {
    const kind = /^\+(?!\+\+ )/.test(line) ? 'added' : /^-(?!-- )/.test(line) ? 'removed' : '';
    box.append(element('span', {className: kind}, `${line}\n`));
  }
  return box;
}

function showEnd(end: EndEntry, send: Send): HTMLElement {
  const words =
    {
      end_turn: 'Done',
      cancelled: 'Stopped',
      max_turn_requests: 'Stopped at its limit',
    }[end.reason] ?? 'Failed';
  const tokens = end.inputTokens + end.outputTokens;
  const line = element(
    'p',
    {className: 'end'},
    tokens > 0 ? `${words} · ${tokens.toLocaleString('en')} tokens` : words,
  );
  if (end.changed) {
    const {turnId} = end;
    const ways: Record<string, FromPage> = {
      'Review': {type: 'review'},
      'Keep all': {type: 'keep'},
      'Undo this turn': {type: 'undo', turnId},
    };
    for (const [words, message] of Object.entries(ways)) {
      line.append(' · ', element('button', {className: 'link', onclick: () => send(message)}, words));
    }
  }
  const article = element('div', {className: 'turn-end'}, line);
  if (end.message !== '') {
    article.append(element('p', {className: 'note error'}, end.message));
  }
  return article;
}

function duration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}
