import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {type Disposable, EventEmitter, type LogOutputChannel, workspace} from 'vscode';

import {messageOf} from './agent.ts';
import type {ListedSkill} from './protocol.ts';

const run = promisify(execFile);
/** Longer than an editor or git takes to write what belongs together. */
const SETTLE_MILLISECONDS = 300;

/** All skills that are found in the workspace, whatever their state, as the server's command line lists them. */
export class Catalog implements Disposable {
  #skills: readonly ListedSkill[] = [];
  #changed = new EventEmitter<void>();
  #due: NodeJS.Timeout | undefined;
  #reading: AbortController | undefined;
  #disposables: Disposable[];
  readonly #program: () => string;
  readonly #log: LogOutputChannel;

  readonly onDidChange = this.#changed.event;

  /** @param program Finds the server's program; may throw. */
  constructor(program: () => string, log: LogOutputChannel) {
    this.#program = program;
    this.#log = log;
    const watcher = workspace.createFileSystemWatcher('**/SKILL.md');
    const later = () => this.refreshSoon();
    this.#disposables = [
      watcher,
      watcher.onDidCreate(later),
      watcher.onDidChange(later),
      watcher.onDidDelete(later),
      workspace.onDidChangeWorkspaceFolders(later),
    ];
  }

  /** The skills, sorted, broken and shadowed ones included. */
  get skills(): readonly ListedSkill[] {
    return this.#skills;
  }

  /** Reads again once nothing changed for a moment. */
  refreshSoon(): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => void this.refresh(), SETTLE_MILLISECONDS);
  }

  /** Reads again now; a reading that runs is abandoned. */
  async refresh(): Promise<void> {
    this.#reading?.abort();
    const reading = (this.#reading = new AbortController());
    const folders = (workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
    try {
      const program = this.#program();
      const lists = await Promise.all(
        folders.map(async (folder) => {
          const options = {cwd: folder.uri.fsPath, maxBuffer: 256 << 20, signal: reading.signal};
          const {stdout} = await run(program, ['list', '--json'], options);
          return (JSON.parse(stdout) as {skills: ListedSkill[]}).skills;
        }),
      );
      // Those of the home folder are found from each folder.
      const byPath = new Map(lists.flat().map((skill) => [`${skill.path}\n${skill.name}`, skill]));
      this.#skills = [...byPath.values()];
      this.#changed.fire();
    } catch (error) {
      if (!reading.signal.aborted) {
        this.#log.error(`the skills could not be listed: ${messageOf(error)}`);
      }
    }
  }

  dispose(): void {
    clearTimeout(this.#due);
    this.#reading?.abort();
    this.#disposables.forEach((disposable) => void disposable.dispose());
  }
}
