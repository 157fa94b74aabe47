/** What the agent changed, shown where it stands until the person keeps it or takes it back. */
import {
  CodeLens,
  type CodeLensProvider,
  type Disposable,
  EventEmitter,
  MarkdownString,
  OverviewRulerLane,
  Position,
  Range,
  Selection,
  type TextDocument,
  type TextDocumentContentProvider,
  TextEditorRevealType,
  ThemeColor,
  Uri,
  commands,
  languages,
  window,
  workspace,
} from 'vscode';
import type {LanguageClient} from 'vscode-languageclient/node';

import type {ChangedHunk, ChangesParams} from './protocol.ts';

/** The scheme of documents as they were before the agent changed them. */
const BEFORE = 'skills-before';

/** One change in an open document. */
interface Place {
  readonly uri: Uri;
  readonly hunk: ChangedHunk;
  readonly range: Range;
}

/** The one owner of the changes that nobody decided about. */
export class Changes implements CodeLensProvider, TextDocumentContentProvider, Disposable {
  readonly #told = new Map<string, {readonly uri: Uri; readonly places: readonly Place[]}>();
  readonly #lenses = new EventEmitter<void>();
  readonly #before = new EventEmitter<Uri>();
  readonly #disposables: Disposable[];
  readonly #changed = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor('diffEditor.insertedLineBackground'),
    borderColor: new ThemeColor('editorGutter.modifiedBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 3px',
    overviewRulerColor: new ThemeColor('editorOverviewRuler.modifiedForeground'),
    overviewRulerLane: OverviewRulerLane.Left,
  });
  readonly #removed = window.createTextEditorDecorationType({
    isWholeLine: true,
    borderColor: new ThemeColor('editorGutter.deletedBackground'),
    borderStyle: 'solid',
    borderWidth: '2px 0 0 0',
    overviewRulerColor: new ThemeColor('editorOverviewRuler.deletedForeground'),
    overviewRulerLane: OverviewRulerLane.Left,
  });

  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly onDidChange = this.#before.event;

  constructor() {
    this.#disposables = [
      this.#changed,
      this.#removed,
      languages.registerCodeLensProvider([{scheme: 'file'}, {scheme: 'untitled'}], this),
      workspace.registerTextDocumentContentProvider(BEFORE, this),
      window.onDidChangeVisibleTextEditors(() => this.#decorate()),
      workspace.onDidCloseTextDocument(({uri}) => this.#take(uri, [])),
    ];
  }

  /** Listens to a client, which is not started yet. */
  attach(client: LanguageClient): void {
    for (const {uri} of [...this.#told.values()]) {
      this.#take(uri, []);
    }
    client.onNotification('skills/edit/changes', ({uri, hunks}: ChangesParams) => this.#take(Uri.parse(uri), hunks));
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    return this.#places(document.uri).flatMap(({hunk, range}, index, all) => {
      const top = new Range(range.start, range.start);
      return [
        new CodeLens(top, {title: 'Keep', command: 'skills.keepChange', arguments: [hunk]}),
        new CodeLens(top, {title: 'Undo', command: 'skills.undoChange', arguments: [hunk]}),
        new CodeLens(top, {title: 'Compare', command: 'skills.compareChanges', arguments: [document.uri]}),
        new CodeLens(top, {title: `${index + 1} of ${all.length}`, command: 'skills.nextChange'}),
      ];
    });
  }

  /** The document as it was before its undecided changes. */
  provideTextDocumentContent(uri: Uri): string {
    const file = uri.with({scheme: uri.query});
    const document = workspace.textDocuments.find((open) => open.uri.toString() === file.with({query: ''}).toString());
    let text = document?.getText() ?? '';
    for (const {hunk, range} of document === undefined ? [] : [...this.#places(document.uri)].reverse()) {
      const [from, to] = [document?.offsetAt(range.start) ?? 0, document?.offsetAt(range.end) ?? 0];
      text = text.slice(0, from) + hunk.oldText + text.slice(to);
    }
    return text;
  }

  /** The change at the cursor. */
  atCursor(): ChangedHunk | undefined {
    const editor = window.activeTextEditor;
    const line = editor?.selection.active.line ?? 0;
    const places = editor === undefined ? [] : this.#places(editor.document.uri);
    return places.find(({range}) => range.start.line <= line && line <= lastLine(range))?.hunk;
  }

  /** Moves to the next change, or to the one before: in this document, then in the others, then round. */
  async move(step: 1 | -1): Promise<void> {
    const all = [...this.#told.values()].flatMap(({places}) => places);
    const editor = window.activeTextEditor;
    const here = editor?.document.uri.toString();
    const line = editor?.selection.active.line ?? 0;
    const ordered = step > 0 ? all : all.reverse();
    // Behind those before the cursor in this document stand those of the documents after it.
    const first = ordered.findIndex(({uri}) => uri.toString() === here);
    const turned = first < 0 ? ordered : [...ordered.slice(first), ...ordered.slice(0, first)];
    const isAhead = ({uri, range}: Place) =>
      uri.toString() !== here || (step > 0 ? range.start.line > line : range.start.line < line);
    const next = turned.find(isAhead) ?? turned[0];
    if (next === undefined) {
      void window.showInformationMessage('Skills: the agent changed nothing that is undecided.');
      return;
    }
    const shown = await window.showTextDocument(next.uri);
    shown.selection = new Selection(next.range.start, next.range.start);
    shown.revealRange(next.range, TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Shows a document beside what it was before the agent changed it. */
  async compare(uri = window.activeTextEditor?.document.uri): Promise<void> {
    if (uri === undefined || this.#places(uri).length === 0) {
      return;
    }
    const before = uri.with({scheme: BEFORE, query: uri.scheme});
    this.#before.fire(before);
    const title = `${uri.path.slice(uri.path.lastIndexOf('/') + 1)}: before the agent ↔ now`;
    await commands.executeCommand('vscode.diff', before, uri, title);
  }

  dispose(): void {
    this.#disposables.forEach((disposable) => void disposable.dispose());
  }

  #places(uri: Uri): readonly Place[] {
    return this.#told.get(uri.toString())?.places ?? [];
  }

  #take(uri: Uri, hunks: readonly ChangedHunk[]): void {
    const key = uri.toString();
    if (hunks.length === 0 && !this.#told.has(key)) {
      return;
    }
    const places = hunks.map((hunk): Place => ({uri, hunk, range: toRange(hunk)}));
    if (places.length > 0) {
      this.#told.set(key, {uri, places});
    } else {
      this.#told.delete(key);
    }
    void commands.executeCommand('setContext', 'skills.hasChanges', this.#told.size > 0);
    this.#lenses.fire();
    this.#before.fire(uri.with({scheme: BEFORE, query: uri.scheme}));
    this.#decorate();
  }

  #decorate(): void {
    for (const editor of window.visibleTextEditors) {
      const places = this.#places(editor.document.uri);
      const shown = places.map(({hunk, range}) => ({
        range: new Range(range.start, new Position(lastLine(range), 0)),
        hoverMessage: before(hunk),
        isRemoval: range.isEmpty,
      }));
      editor.setDecorations(
        this.#changed,
        shown.filter(({isRemoval}) => !isRemoval),
      );
      editor.setDecorations(
        this.#removed,
        shown.filter(({isRemoval}) => isRemoval),
      );
    }
  }
}

function toRange({range: {start, end}}: ChangedHunk): Range {
  return new Range(start.line, start.character, end.line, end.character);
}

/** A range of whole lines ends at the start of the line behind it. */
function lastLine(range: Range): number {
  return range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
}

/** What stood there: text of a stranger, so that it is shown and never read as Markdown. */
function before({oldText}: ChangedHunk): MarkdownString {
  return oldText === ''
    ? new MarkdownString('The agent put this here.')
    : new MarkdownString('The agent changed this. Before:').appendCodeblock(oldText);
}
