import type {Delivery} from '../../protocol.ts';
import type {OfferedSkill, PageState} from '../messages.ts';
import type {Send} from './entries.ts';
import {element} from './markdown.ts';

/** Where the person writes: with the skills that `/` offers, what waits, what the prompt is about, and ways to send. */
export class Prompt {
  readonly root: HTMLElement;
  readonly #send: Send;
  readonly #input = element('textarea', {rows: 3, ariaLabel: 'Prompt', spellcheck: true});
  /** What a skill takes, behind its name. */
  readonly #hint = element('div', {className: 'hint', ariaHidden: 'true'});
  readonly #offers = element('div', {id: 'offers', role: 'listbox', ariaLabel: 'Skills', hidden: true});
  readonly #about = element('span', {className: 'about'});
  readonly #model = element('button', {className: 'link model'});
  readonly #waiting = element('ul', {className: 'waiting', ariaLabel: 'Waiting', hidden: true});
  readonly #steer = element(
    'button',
    {title: 'Tell the agent now, before its next step (Ctrl+Enter)', hidden: true},
    'Steer',
  );
  readonly #submit = element('button', {className: 'primary'}, 'Send');
  readonly #stop = element('button', {hidden: true}, 'Stop');
  #state: PageState | undefined;
  #skills: readonly OfferedSkill[] = [];
  /** What the person said before, and which of it stands in the prompt again. */
  #said: readonly string[] = [];
  #recalled = 0;
  readonly #keep: (draft: string) => void;
  #chosen = 0;

  /** @param keep Keeps what is written and not sent yet: the page goes away whenever it is hidden. */
  constructor(send: Send, draft: string, keep: (draft: string) => void) {
    this.#send = send;
    this.#keep = keep;
    this.#input.value = draft;
    this.#input.setAttribute('aria-controls', 'offers');
    this.#input.setAttribute('aria-autocomplete', 'list');
    this.#input.oninput = () => this.#offer();
    this.#input.onkeydown = (event) => this.#key(event);
    this.#model.onclick = () => send({type: 'model'});
    this.#submit.onclick = () => this.#deliver('queue');
    this.#steer.onclick = () => this.#deliver('steer');
    this.#stop.onclick = () => send({type: 'stop'});
    const buttons = element('div', {className: 'buttons'}, this.#stop, this.#steer, this.#submit);
    const row = element('div', {className: 'row'}, this.#about, this.#model, buttons);
    const writing = element('div', {className: 'writing'}, this.#input, this.#hint);
    const parts = [this.#waiting, this.#offers, writing, row];
    this.root = element('section', {className: 'prompt', ariaLabel: 'Prompt'}, ...parts);
  }

  /** Shows what is around the conversation now. */
  show(state: PageState): void {
    this.#state = state;
    this.#about.textContent = state.about === '' ? '' : `About ${state.about}`;
    const {name, label, problem} = state.model;
    this.#model.textContent = problem === undefined ? name.slice(name.lastIndexOf('/') + 1) : 'No model: set one up';
    this.#model.title = problem ?? `${label}: select another`;
    this.#model.ariaLabel = problem === undefined ? `Model: ${label}. Select another` : `No model. ${problem}`;
    this.#model.classList.toggle('missing', problem !== undefined);
    this.#submit.textContent = state.running ? 'Queue' : 'Send';
    this.#submit.title = state.running ? 'A turn of its own, once this one is done (Enter)' : '';
    this.#submit.disabled = this.#steer.disabled = state.server !== 'running';
    this.#steer.hidden = this.#stop.hidden = !state.running;
    this.#waiting.hidden = state.waiting.length === 0;
    this.#waiting.replaceChildren(
      ...state.waiting.map(({text, turnId}) =>
        element(
          'li',
          {},
          element('span', {className: 'title', title: text}, `${turnId === undefined ? 'Steering' : 'Next'}: ${text}`),
          ...(turnId === undefined
            ? []
            : [
                element(
                  'button',
                  {
                    className: 'link',
                    ariaLabel: `Remove ${text}`,
                    onclick: () => this.#send({type: 'dequeue', turnId}),
                  },
                  'Remove',
                ),
              ]),
        ),
      ),
    );
    this.#input.placeholder =
      state.server === 'running' ? 'Ask the agent, or type / for a skill' : `The server is ${state.server}`;
  }

  /** The skills that `/` offers from now on. */
  setSkills(skills: readonly OfferedSkill[]): void {
    this.#skills = skills;
  }

  /** What the person said in this conversation: the key Up brings it back into an empty prompt. */
  setSaid(said: readonly string[]): void {
    if (said.length !== this.#said.length) {
      this.#said = [...said];
      this.#recalled = said.length;
    }
  }

  /** Puts the cursor here, behind a text. */
  focus(text: string): void {
    if (text !== '') {
      this.#input.value = text;
    }
    this.#input.focus();
    this.#offer();
  }

  #key(event: KeyboardEvent): void {
    const offers = this.#offers.hidden ? [] : [...this.#offers.children];
    if (event.isComposing) {
      return;
    }
    if (offers.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const step = event.key === 'ArrowDown' ? 1 : offers.length - 1;
      this.#choose((this.#chosen + step) % offers.length);
    } else if (offers.length > 0 && (event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey) {
      this.#take(this.#chosen);
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && this.#isRecalled()) {
      this.#recall(event.key === 'ArrowUp' ? -1 : 1);
    } else if (event.key === 'Escape' && offers.length > 0) {
      this.#offers.hidden = true;
    } else if (event.key === 'Enter' && !event.shiftKey) {
      this.#deliver(event.ctrlKey || event.metaKey ? 'steer' : 'queue');
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Whether nothing of the person's own would be lost. */
  #isRecalled(): boolean {
    return this.#said.length > 0 && this.#input.value === (this.#said[this.#recalled] ?? '');
  }

  #recall(step: 1 | -1): void {
    this.#recalled = Math.min(Math.max(this.#recalled + step, 0), this.#said.length);
    this.#input.value = this.#said[this.#recalled] ?? '';
    this.#tell();
    this.#keep(this.#input.value);
  }

  /** Sends what is written; while no turn runs there is but one way. Without a server it stays where it is. */
  #deliver(delivery: Delivery): void {
    const text = this.#input.value.trim();
    if (text !== '' && this.#state?.server === 'running') {
      this.#send(this.#state.running ? {type: 'prompt', text, delivery} : {type: 'prompt', text});
      this.#input.value = '';
      this.#offer();
    }
  }

  /** Offers the skills that go on as the person writes, while they write a skill's name. */
  #offer(): void {
    const typed = /^\/(\S*)$/.exec(this.#input.value)?.[1];
    const found = typed === undefined ? [] : this.#skills.filter(({name}) => name.includes(typed)).slice(0, 8);
    this.#offers.replaceChildren(
      ...found.map(({name, description, why}, index) =>
        element(
          'div',
          {
            id: `offer-${index}`,
            role: 'option',
            title: description,
            // The click must not take the cursor out of the prompt.
            onmousedown: (event) => event.preventDefault(),
            onclick: () => this.#take(index),
          },
          element('span', {className: 'name'}, `/${name}`),
          element('span', {className: 'title'}, why === '' ? description : `active: ${why.split('\n')[0] ?? ''}`),
        ),
      ),
    );
    this.#offers.hidden = found.length === 0;
    this.#choose(0);
    this.#tell();
    this.#keep(this.#input.value);
  }

  /** Tells what the skill takes that is named, until something of it is written. */
  #tell(): void {
    const name = /^\/(\S+) $/.exec(this.#input.value)?.[1];
    const hint = this.#skills.find((skill) => skill.name === name)?.hint ?? '';
    this.#input.ariaDescription = hint;
    const written = element('span', {className: 'written'}, this.#input.value);
    this.#hint.replaceChildren(...(hint === '' ? [] : [written, hint]));
  }

  #choose(index: number): void {
    this.#chosen = index;
    [...this.#offers.children].forEach((offer, at) => offer.setAttribute('aria-selected', String(at === index)));
    this.#input.setAttribute('aria-activedescendant', this.#offers.hidden ? '' : `offer-${index}`);
  }

  #take(index: number): void {
    const name = this.#offers.children[index]?.querySelector('.name')?.textContent ?? '';
    this.#input.value = `${name} `;
    this.#offers.hidden = true;
    this.#tell();
    this.#keep(this.#input.value);
    this.#input.focus();
  }
}
