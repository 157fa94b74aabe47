/** "Who loads this skill": what each system makes of the skill that the person looks at, beside it, while they type. */
import {type Disposable, Uri, ViewColumn, type WebviewPanel, window, workspace} from 'vscode';

import type {Agent} from './agent.ts';
import type {Reader, ReadersAnswer} from './protocol.ts';

/** How long typing may pause before the page is made anew. */
const SETTLE_MILLISECONDS = 250;

/** The page, for one skill at a time. */
export class ReadersPanel implements Disposable {
  readonly #agent: Agent;
  readonly #extension: Uri;
  readonly #disposables: Disposable[];
  #panel: WebviewPanel | undefined;
  #uri: Uri | undefined;
  #due: NodeJS.Timeout | undefined;

  constructor(agent: Agent, extension: Uri) {
    this.#agent = agent;
    this.#extension = extension;
    this.#disposables = [
      workspace.onDidChangeTextDocument(({document}) => {
        if (document.uri.toString() === this.#uri?.toString()) {
          clearTimeout(this.#due);
          this.#due = setTimeout(() => void this.#fill(), SETTLE_MILLISECONDS);
        }
      }),
    ];
  }

  /** Shows the page for a skill, by default the one that the person looks at. */
  async show(uri = window.activeTextEditor?.document.uri): Promise<void> {
    if (uri === undefined) {
      return;
    }
    this.#uri = uri;
    if (this.#panel === undefined) {
      const column = {viewColumn: ViewColumn.Beside, preserveFocus: true};
      this.#panel = window.createWebviewPanel('skills.readers', 'Who Loads This Skill', column, {
        enableScripts: false,
        localResourceRoots: [Uri.joinPath(this.#extension, 'dist')],
      });
      this.#panel.onDidDispose(() => {
        this.#panel = undefined;
        this.#uri = undefined;
      });
    } else {
      this.#panel.reveal(undefined, true);
    }
    await this.#fill();
  }

  dispose(): void {
    clearTimeout(this.#due);
    this.#panel?.dispose();
    this.#disposables.forEach((disposable) => void disposable.dispose());
  }

  async #fill(): Promise<void> {
    const [uri, panel] = [this.#uri, this.#panel];
    if (uri === undefined || panel === undefined) {
      return;
    }
    const answer = await this.#agent.request<ReadersAnswer>('skills/readers', {uri: uri.toString()});
    if (answer !== undefined && panel === this.#panel) {
      panel.title = `Who Loads ${answer.name}`;
      const style = panel.webview.asWebviewUri(Uri.joinPath(this.#extension, 'dist', 'readers.css'));
      panel.webview.html = page(answer, style.toString(), panel.webview.cspSource);
    }
  }
}

/** The outcomes, from what the author should see first. */
const MARKS: Readonly<Record<string, string>> = {
  'not loaded': '✗',
  'loads without metadata': '!',
  'loads but the model is not told': '!',
  loads: '✓',
};

function page({name, summary, readers}: ReadersAnswer, style: string, source: string): string {
  const policy = `default-src 'none'; style-src ${source}`;
  const here = readers.filter(({readsPlace}) => readsPlace);
  const elsewhere = readers.filter(({readsPlace}) => !readsPlace);
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <link rel="stylesheet" href="${escape(style)}">
  <title>${escape(name)}</title>
</head>
<body>
  <h1>${escape(name)}</h1>
  <p>${escape(summary)}</p>
  ${table('Systems that read this folder', here)}
  ${table('Other systems', elsewhere)}
</body>
</html>`;
}

function table(title: string, readers: readonly Reader[]): string {
  return readers.length === 0 ? '' : `<h2>${title}</h2>\n<ul>${readers.map(row).join('\n')}</ul>`;
}

function row(reader: Reader): string {
  const mark = MARKS[reader.outcome] ?? '?';
  const details = [
    ['Why', reader.reason],
    ['Name', reader.name],
    ['Description', reader.description],
    ['Typed as', reader.command],
    ['The model is told', reader.listing],
  ].filter((pair): pair is [string, string] => pair[1] !== undefined);
  const lines = details.map(([label, text]) => `<dt>${label}</dt><dd>${escape(text)}</dd>`);
  const problem = reader.loads && reader.listed ? '' : ' open';
  return `<li class="${reader.loads ? 'loads' : 'fails'}"><details${problem}><summary>
    <span class="mark" aria-hidden="true">${mark}</span> <span class="name">${escape(reader.title)}</span>
    <span class="outcome">${escape(reader.outcome)}</span></summary>
    <dl>${lines.join('')}<dt>As of</dt><dd>${escape(reader.recorded)}</dd></dl></details></li>`;
}

/** Text of a skill is text of a stranger. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
