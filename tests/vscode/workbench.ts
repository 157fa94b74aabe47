/** VS Code as a person sees it: the workbench in a browser, with the packaged extension installed. */
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after} from 'node:test';

import {type Browser, type FrameLocator, type Locator, type Page, chromium} from 'playwright-core';

import {Model} from './model.ts';
import {PATIENCE, until} from './until.ts';

/** How a window is opened. */
export interface Opening {
  /** The person's settings beside those of all tests. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The folder's own settings, which came with it. */
  readonly folderSettings?: Readonly<Record<string, unknown>>;
  /** Whether the person trusts the folder. */
  readonly trusted?: boolean;
  readonly light?: boolean;
}

/** How long something is waited for, in milliseconds, before what brings it is done again. */
const A_MOMENT = 3_000;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let shared: Promise<Workbench> | undefined;

/** The one workbench of all tests. */
export function workbench(): Promise<Workbench> {
  return (shared ??= Workbench.start());
}
after(async () => (await shared)?.stop());

/** Does something in a window of its own, which is closed afterwards; where it fails, its picture and texts are kept. */
export async function inWindow(opening: Opening, run: (window: Window, model: Model) => Promise<void>): Promise<void> {
  const {model} = await workbench();
  const window = await (await workbench()).open(opening);
  try {
    await run(window, model);
  } catch (error) {
    await window.page.screenshot({path: join(tmpdir(), 'vscode-failure.png')});
    for (const frame of window.page.frames()) {
      const text = await frame.locator('body').innerText({timeout: A_MOMENT}).catch(() => '');
      console.error(text.replace(/\s*\n\s*/g, ' | ').slice(0, 3_000));
    }
    throw error;
  } finally {
    await window.close();
  }
}

/** The extensions of the tests, by the variables that name their packages; the one that is tested comes first. */
export const EXTENSIONS = ['SKILLS_TEST_VSIX', 'SKILLS_TEST_MODEL_VSIX'] as const;

/** The programs that all windows share. */
export class Workbench {
  readonly model: Model;
  /** Stops them all. */
  readonly stop: () => Promise<void>;
  readonly #root: string;
  readonly #browser: Browser;
  readonly #url: string;

  private constructor(root: string, browser: Browser, model: Model, url: string, stop: () => Promise<void>) {
    this.#root = root;
    this.#browser = browser;
    this.model = model;
    this.#url = url;
    this.stop = stop;
  }

  /** Starts them; tests use `workbench()`. What was started is stopped again where the rest does not start. */
  static async start(extensions: readonly string[] = EXTENSIONS): Promise<Workbench> {
    const stops: (() => Promise<void>)[] = [];
    const stop = async () => {
      for (const one of stops.splice(0).reverse()) {
        await one();
      }
    };
    try {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'workbench-')));
      stops.push(async () => rmSync(root, {recursive: true, force: true, maxRetries: 5}));
      const model = await Model.start();
      stops.push(() => model.stop());
      const {server, listening} = startServer(root, model.url, extensions);
      stops.push(async () => {
        server.kill();
        await once(server, 'exit');
      });
      const url = await listening;
      const executablePath = process.env['SKILLS_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
      const browser = await chromium.launch({executablePath, args: FLAGS});
      stops.push(() => browser.close());
      return new Workbench(root, browser, model, url, stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** Opens a window on a fresh copy of the example folder. */
  async open({settings = {}, folderSettings, trusted = true, light = false}: Opening = {}): Promise<Window> {
    const folder = join(mkdtempSync(join(this.#root, 'folder-')), 'shop');
    cpSync(join(import.meta.dirname, 'workspace'), folder, {recursive: true});
    mkdirSync(join(folder, '.git'));
    if (folderSettings !== undefined) {
      mkdirSync(join(folder, '.vscode'));
      writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(folderSettings));
    }
    const page = await this.show(folder, settings, light);
    const window = new Window(page, folder);
    await window.start();
    if (trusted) {
      await window.trust();
    }
    return window;
  }

  /** Shows a folder in a page of its own, with these settings beside those of all tests. */
  async show(folder: string, settings: Readonly<Record<string, unknown>> = {}, light = false): Promise<Page> {
    const all = {
      'workbench.colorTheme': light ? 'Default Light Modern' : 'Default Dark Modern',
      'workbench.startupEditor': 'none',
      'security.workspace.trust.startupPrompt': 'never',
      'security.workspace.trust.enabled': true,
      'files.autoSave': 'off',
      'editor.minimap.enabled': false,
      'editor.accessibilitySupport': 'off',
      'telemetry.telemetryLevel': 'off',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      ...settings,
    };
    for (const place of ['User', 'Machine']) {
      mkdirSync(join(this.#root, 'data', place), {recursive: true});
      writeFileSync(join(this.#root, 'data', place, 'settings.json'), JSON.stringify(all));
    }
    const page = await this.#browser.newPage({viewport: {width: 1280, height: 800}});
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`${this.#url}/?folder=${encodeURIComponent(folder)}`);
    return page;
  }
}

/** Installs the extensions and starts the workbench. */
function startServer(
  root: string,
  model: string,
  extensions: readonly string[],
): {server: ChildProcess; listening: Promise<string>} {
  const program = required('SKILLS_TEST_VSCODE');
  const folders = ['--user-data-dir', join(root, 'data'), '--extensions-dir', join(root, 'extensions')];
  const home = join(root, 'home');
  mkdirSync(home);
  const env = {
    ...process.env,
    // The skills, settings and state of whoever runs the tests stay out of them.
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'),
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: model,
  };
  for (const extension of extensions) {
    execFileSync(program, [...folders, '--install-extension', required(extension)], {env, stdio: 'pipe'});
  }
  const server = spawn(
    program,
    // A model that the editor asks the person about is not in the stable interface.
    ['--enable-proposed-api', 'skills-tests.model', '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check', ...folders],
    {env},
  );
  let output = '';
  server.stdout.on('data', (data: Buffer) => (output += data.toString()));
  server.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const listening = until('the workbench listens', () => /listening on (http:\/\/[\d.:]+)/.exec(output)?.[1]);
  return {server, listening};
}

/** One window. */
export class Window {
  readonly page: Page;
  readonly folder: string;

  constructor(page: Page, folder: string) {
    this.page = page;
    this.folder = folder;
  }

  /** Waits until the extension's item stands in the status bar. */
  async start(): Promise<void> {
    await this.status().waitFor();
  }

  /** Trusts the folder, as the person would. */
  async trust(): Promise<void> {
    // A slow window shows it late; taken for trusted, it would run without the extensions that ask for trust.
    const restricted = this.page.locator('.statusbar-item', {hasText: 'Restricted Mode'});
    await restricted.waitFor();
    await this.command('Workspaces: Manage Workspace Trust');
    await this.page
      .getByRole('button', {name: /^Trust$/})
      .or(this.page.locator('a.monaco-button', {hasText: /^Trust$/}))
      .first()
      .click();
    await restricted.waitFor({state: 'detached'});
    await this.command('View: Close All Editors');
  }

  /** The extension's item in the status bar. */
  status(): Locator {
    return this.page.locator('.statusbar-item[id*="skills.status"]');
  }

  /** Waits until the extension's item in the status bar says something. */
  async statusSays(text: string): Promise<void> {
    await this.page.locator('.statusbar-item[id*="skills.status"]', {hasText: text}).waitFor();
  }

  /** Shows the view of skills. */
  async showSkills(): Promise<void> {
    await this.command('Skills: Focus on Skills View');
    await this.page.locator('.pane-header', {hasText: 'Skills'}).first().waitFor();
    await this.skill(/^Available/).waitFor();
  }

  /** Writes a new document and saves it in the folder. */
  async create(path: string, text: string): Promise<void> {
    await this.command('File: New Untitled Text File');
    await this.page.locator('.tab.active', {hasText: 'Untitled'}).waitFor();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Control+S');
    const input = this.page.locator('.quick-input-widget input[type="text"]').first();
    await input.waitFor();
    // The dialog suggests a name late, and writes it over what stands there.
    await until('the dialog suggests a name', async () => (await input.inputValue()).length > this.folder.length);
    await input.fill(join(this.folder, path));
    const tab = this.page.locator('.tab.active', {hasText: path.split('/').at(-1) ?? path});
    // A click before the dialog has looked at the path does nothing.
    const save = this.page.locator('.quick-input-widget').getByRole('button', {name: 'OK'});
    await until('the document is saved', async (attempt) => {
      if (await save.isVisible()) {
        await save.click();
      }
      return tab.waitFor({timeout: A_MOMENT * attempt}).then(
        () => true,
        () => false,
      );
    });
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input');
    const row = this.page
      .locator('.quick-input-list .monaco-list-row', {hasText: title.replace(/^.*: /, '')})
      .first();
    // What takes the focus while a window settles closes the palette again.
    await until(`the command ${title} is offered`, async (attempt) => {
      const timeout = A_MOMENT * attempt;
      if (!(await input.isVisible())) {
        await this.page.keyboard.press('F1');
      }
      const offered = input.fill(`>${title}`, {timeout}).then(() => row.waitFor({timeout}));
      return offered.then(
        () => true,
        () => false,
      );
    });
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file of the folder. */
  async file(path: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(path);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await this.page.keyboard.press('Enter');
    const name = path.split('/').at(-1) ?? path;
    await this.page.locator('.tab.active', {hasText: name}).waitFor();
    await this.page.locator('.editor-instance .view-lines').first().waitFor();
  }

  /** Puts the cursor into a line, at its end. */
  async line(number: number): Promise<void> {
    await this.page.keyboard.press('Control+G');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(`:${number}:1000`);
    await this.page.keyboard.press('Enter');
    await input.waitFor({state: 'hidden'});
  }

  /** Types a line anew. */
  async rewriteLine(number: number, text: string): Promise<void> {
    await this.line(number);
    await this.page.keyboard.press('Shift+Home');
    await this.page.keyboard.type(text);
  }

  /** The text in the editor, as it stands on the screen. */
  async text(): Promise<string> {
    const lines = await this.page.locator('.editor-instance .view-line').evaluateAll((found) =>
      found
        .map((line) => ({
          top: Number.parseFloat((line as unknown as {style: {top: string}}).style.top),
          text: line.textContent ?? '',
        }))
        .sort((one, other) => one.top - other.top)
        .map(({text}) => text),
    );
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  /** Waits until the editor shows a text. */
  async waitForText(text: string): Promise<void> {
    await until(`the editor shows ${text}`, async () => (await this.text()).includes(text));
  }

  onDisk(path: string): string | undefined {
    const file = join(this.folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** A row of the skills' view, by what a screen reader says. */
  skill(label: string | RegExp): Locator {
    return this.page
      .locator('.pane-body .monaco-list-row')
      .and(this.page.getByRole('treeitem', {name: label}))
      .first();
  }

  /** The page of the agent's view. */
  chat(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  /** Writes into the prompt of the agent's view, and sends it. */
  async prompt(text: string, key = 'Enter'): Promise<void> {
    const prompt = this.chat().getByLabel('Prompt').getByRole('textbox');
    await prompt.fill(text);
    await prompt.press(key);
  }

  /** Takes an action of the light bulb at the cursor. */
  async act(title: string | RegExp): Promise<void> {
    // It may be closed again while it is clicked.
    await until(`${title} is taken`, async (attempt) => {
      const row = await this.lightBulb(title);
      return row.click({timeout: A_MOMENT * attempt}).then(
        () => true,
        () => this.page.keyboard.press('Escape').then(() => false),
      );
    });
  }

  /** Opens the light bulb at the cursor, and gives an action in it. */
  async lightBulb(title: string | RegExp): Promise<Locator> {
    await this.page.keyboard.press('Control+1');
    const row = this.page.locator('.action-widget .monaco-list-row', {hasText: title}).first();
    // A menu that opens while hints or lenses arrive is closed again by the editor.
    await until(`the light bulb offers ${title}`, async (attempt) => {
      await this.page.keyboard.press('Control+.');
      const came = row.waitFor({timeout: A_MOMENT * attempt}).then(() => true);
      return came.catch(() => this.page.keyboard.press('Escape').then(() => false));
    });
    return row;
  }

  /** Keeps a picture for the README, where one is asked for. */
  async picture(name: string): Promise<void> {
    const folder = process.env['SKILLS_TEST_PICTURES'];
    if (folder !== undefined) {
      await this.page.screenshot({path: join(folder, `${name}.png`)});
    }
  }

  async close(): Promise<void> {
    await this.page.close({runBeforeUnload: false});
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: run the tests by tests/vscode/run`);
  }
  return value;
}
