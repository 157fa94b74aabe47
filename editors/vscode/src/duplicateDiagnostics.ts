import {type Diagnostic, type Disposable, type TextDocument, Uri, languages, workspace} from 'vscode';
import type {LanguageClient, Middleware, vsdiag} from 'vscode-languageclient/node';

/**
 * What VS Code's own check of a skill finds too, by our rule's code: words of its message. In another display language
 * they don't match, and both are shown.
 */
const SAME: Readonly<Record<string, RegExp>> = {
  'name-format': /^Skill name may only contain/,
  'name-folder': /should match the folder name/,
};

type Full = vsdiag.FullDocumentDiagnosticReport;

/** Leaves out findings of ours that VS Code itself shows at the same place, which it may do later than we. */
export class Doubles implements Disposable {
  readonly #client: () => LanguageClient | undefined;
  /** The server's last report, and what of it is on the screen. */
  #reports = new Map<string, {readonly report: Full; readonly shown: readonly Diagnostic[]}>();
  #listening: Disposable[];

  constructor(client: () => LanguageClient | undefined) {
    this.#client = client;
    this.#listening = [
      languages.onDidChangeDiagnostics(({uris}) => uris.forEach((uri) => this.#look(uri))),
      workspace.onDidCloseTextDocument(({uri}) => this.#reports.delete(uri.toString())),
    ];
  }

  /** For the client's middleware. */
  readonly provideDiagnostics: NonNullable<Middleware['provideDiagnostics']> = async (
    document,
    previous,
    token,
    next,
  ) => {
    const report = await next(document, previous, token);
    const uri = document instanceof Uri ? document : document.uri;
    const key = uri.toString();
    const full = report && 'items' in report ? report : this.#reports.get(key)?.report;
    if (full === undefined || !report) {
      return report;
    }
    const items = single(uri, full.items);
    this.#reports.set(key, {report: full, shown: items});
    return {...full, items};
  };

  dispose(): void {
    this.#listening.forEach((listening) => void listening.dispose());
  }

  /** Asks for a report again where another would now be shown. */
  #look(uri: Uri): void {
    const known = this.#reports.get(uri.toString());
    if (known === undefined || single(uri, known.report.items).length === known.shown.length) {
      return;
    }
    const document = workspace.textDocuments.find((open: TextDocument) => open.uri.toString() === uri.toString());
    const feature = this.#client()?.getFeature('textDocument/diagnostic');
    if (document !== undefined) {
      feature?.getProvider(document)?.onDidChangeDiagnosticsEmitter.fire();
    }
  }
}

function single(uri: Uri, ours: readonly Diagnostic[]): Diagnostic[] {
  const others = languages.getDiagnostics(uri);
  return ours.filter(({code, range}) => {
    const words = SAME[String(typeof code === 'object' ? code.value : code)];
    return !others.some((other) => words?.test(other.message) && other.range.intersection(range) !== undefined);
  });
}
