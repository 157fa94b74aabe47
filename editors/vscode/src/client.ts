import {type ExtensionContext, type LogOutputChannel, window, workspace} from 'vscode';
import {
  type ClientCapabilities,
  DidChangeConfigurationNotification,
  LanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';

import {activePlace} from './agent.ts';
import type {Doubles} from './doubles.ts';
import {Command} from './protocol.ts';
import {findServer} from './server.ts';
import {serverSettings} from './settings.ts';

/** What this extension takes beyond the standard. */
const AGENT = {version: 1, active: {}, sessionUpdate: {}, permission: {}, changes: {}, save: {}, edits: {}, lm: {}};

/** What the client needs from the rest of the extension. */
export interface Surroundings {
  readonly context: ExtensionContext;
  readonly log: LogOutputChannel;
  /** Variables for the server's environment beside the editor's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly doubles: Doubles;
  /** A person started a turn: it should be seen. */
  readonly onTurn: (command: string, values: readonly unknown[]) => void;
}

/** The keys of this extension's settings. */
function declaredSettings(context: ExtensionContext): string[] {
  const {configuration} = (context.extension.packageJSON as Manifest).contributes;
  return Object.keys(configuration.properties);
}

interface Manifest {
  readonly contributes: {readonly configuration: {readonly properties: Readonly<Record<string, unknown>>}};
}

/** The server's program; throws with a message for the person where there is none. */
export function program(context: ExtensionContext): string {
  const found = findServer({
    setting: workspace.getConfiguration('skills').get('server.path', ''),
    extension: context.extensionPath,
    path: process.env['PATH'] ?? '',
    windows: process.platform === 'win32',
  });
  if ('problem' in found) {
    throw new Error(found.problem);
  }
  return found.program;
}

/** Makes a client, which is not started yet. */
export function makeClient({context, log, environment, doubles, onTurn}: Surroundings): LanguageClient {
  const options: LanguageClientOptions = {
    // Code that is open activates skills and is what the agent reads and edits, so every document is told to the
    // server. It registers completion and the like for skill files alone.
    documentSelector: [{scheme: 'file'}, {scheme: 'untitled'}],
    outputChannel: log,
    initializationOptions: () => serverSettings(declaredSettings(context)),
    middleware: {
      // The status bar's own item says what the agent is doing.
      handleWorkDoneProgress: () => undefined,
      provideDiagnostics: doubles.provideDiagnostics,
      executeCommand: async (command, args, next) => {
        const values = [...(args as unknown[])];
        if (command === Command.ask && values[0] === '') {
          const text = await askForPrompt();
          if (text === undefined) {
            return undefined;
          }
          values[0] = text;
        }
        if (command === Command.ask || command === Command.run) {
          onTurn(command, values);
        }
        return next(command, values);
      },
    },
  };
  const executable = {command: program(context), options: {env: {...process.env, ...environment}}};
  const client = new LanguageClient('skills', 'Skills', executable, options);
  client.registerFeature(optIn());
  return client;
}

/** Tells a server its settings anew. */
export async function tellSettings(client: LanguageClient, context: ExtensionContext): Promise<void> {
  if (client.isRunning()) {
    const settings = {skills: serverSettings(declaredSettings(context))};
    await client.sendNotification(DidChangeConfigurationNotification.type, {settings});
  }
}

/** Asks the person what they want of the agent. */
export async function askForPrompt(): Promise<string | undefined> {
  const {uri, range} = activePlace();
  const about = uri === undefined ? '' : ` about ${uri.slice(uri.lastIndexOf('/') + 1)}`;
  const lines = range === undefined || range.start.line === range.end.line ? '' : ', the selected lines';
  const text = await window.showInputBox({
    prompt: `Ask the agent${decodeURIComponent(about)}${lines}`,
    placeHolder: 'What should be done?',
  });
  return text?.trim() === '' ? undefined : text;
}

function optIn(): StaticFeature {
  return {
    fillClientCapabilities(capabilities: ClientCapabilities) {
      capabilities.experimental = {...(capabilities.experimental as object | undefined), skillsAgent: AGENT};
    },
    initialize() {},
    getState: () => ({kind: 'static'}),
    clear() {},
  };
}
