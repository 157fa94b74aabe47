/** The page of the agent's view. It keeps nothing of its own: the extension tells it what to show. */
import type {OfferedSkill, PageState, ToPage} from '../messages.ts';
import {type Send, show} from './entries.ts';
import {element} from './markdown.ts';
import {Prompt} from './prompt.ts';

const vscode = acquireVsCodeApi();
const send: Send = (message) => void vscode.postMessage(message);
const log = element('main', {role: 'log', tabIndex: 0, ariaLabel: 'Conversation'});
const welcome = element('section', {className: 'welcome', ariaLabel: 'Skills'});
const activity = element('p', {className: 'activity', role: 'status'});
/** Read out at once, where the log waits for a pause. */
const alert = element('p', {className: 'unseen', role: 'alert'});
const kept = vscode.getState() as {draft?: string} | undefined;
const prompt = new Prompt(send, kept?.draft ?? '', (draft) => void vscode.setState({draft}));
const said: string[] = [];
const shown = new Map<string, HTMLElement>();
document.body.append(welcome, log, activity, alert, prompt.root);

addEventListener('message', ({data}: MessageEvent<ToPage>) => {
  switch (data.type) {
    case 'conversation':
      shown.clear();
      said.length = 0;
      log.replaceChildren();
      put(data.entries);
      break;
    case 'entries':
      put(data.entries);
      break;
    case 'state':
      showState(data.state);
      break;
    case 'skills':
      showSkills(data.skills);
      break;
    case 'prompt':
      prompt.focus(data.text);
      break;
  }
});
addEventListener('keydown', ({key}) => {
  // Where the person reads they may simply go on writing.
  if (key === '/' && document.activeElement === log) {
    prompt.focus('');
  }
});
send({type: 'ready'});

function put(entries: Extract<ToPage, {type: 'entries'}>['entries']): void {
  const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  for (const entry of entries) {
    const before = shown.get(entry.id);
    const focused = before?.contains(document.activeElement) ?? false;
    const made = show(entry, send, before);
    shown.set(entry.id, made);
    if (before === undefined) {
      if (entry.kind === 'person') {
        said.push(entry.text);
      }
      // What waits for the person stands last.
      const waiting = log.querySelector('.question:not(.answered)');
      log.insertBefore(made, waiting);
    } else {
      before.replaceWith(made);
    }
    // What the person stood on was made anew.
    if (focused) {
      (made.querySelector<HTMLElement>('summary, button') ?? log).focus();
    }
    const change = made.querySelector<HTMLElement>('.diff .added, .diff .removed');
    if (change?.parentElement) {
      change.parentElement.scrollTop = change.offsetTop - change.parentElement.offsetTop - change.offsetHeight;
    }
    if (entry.kind === 'question' && entry.answer === undefined) {
      alert.textContent = `The agent asks: ${entry.question.title}`;
    }
  }
  prompt.setSaid(said);
  welcome.hidden = shown.size > 0;
  if (follows) {
    log.scrollTop = log.scrollHeight;
  }
}

function showState(state: PageState): void {
  prompt.show(state);
  activity.textContent = state.running ? `${state.activity}…` : '';
}

function showSkills(skills: readonly OfferedSkill[]): void {
  prompt.setSkills(skills);
  const active = skills.filter(({why}) => why !== '');
  const others = skills.filter(({why}) => why === '');
  welcome.replaceChildren(
    element(
      'p',
      {},
      'The agent works in your editor: it reads your buffers, and its edits arrive as edits that you can undo.',
    ),
    ...list('Active here', active),
    ...list('Also available', others),
  );
}

function list(title: string, skills: readonly OfferedSkill[]): HTMLElement[] {
  if (skills.length === 0) {
    return [];
  }
  const rows = skills
    .slice(0, 12)
    .map(({name, description, why}) =>
      element(
        'li',
        {},
        element(
          'button',
          {className: 'link', title: description, onclick: () => prompt.focus(`/${name} `)},
          `/${name}`,
        ),
        element('span', {className: 'title'}, why === '' ? description : (why.split('\n')[0] ?? '')),
      ),
    );
  const more = skills.length - rows.length;
  const rest = more > 0 ? [element('p', {className: 'title'}, `and ${more} more: type /`)] : [];
  return [element('h2', {}, title), element('ul', {className: 'skills'}, ...rows), ...rest];
}
