import {type ExtensionContext, type LogOutputChannel, commands} from 'vscode';
import {
  type ClientCapabilities,
  DidChangeConfigurationNotification,
  LanguageClient,
  type LanguageClientOptions,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';

import type {ServerState} from './agent.ts';
import type {Doubles} from './duplicateDiagnostics.ts';
import {askForPrompt} from './prompt.ts';
import {Command} from './protocol.ts';
import {program, serverSettings} from './settings.ts';
import {telling} from './trustAndFocus.ts';

/** What this extension takes beyond the standard. */
const AGENT = {
  version: 1,
  active: {},
  sessionUpdate: {},
  permission: {},
  changes: {},
  save: {},
  trust: {},
  focus: {},
  edits: {},
  lm: {},
};

/** What the client needs from the rest of the extension. */
export interface Surroundings {
  readonly context: ExtensionContext;
  readonly log: LogOutputChannel;
  /** Variables for the server's environment beside the editor's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly doubles: Doubles;
  readonly onState: (state: ServerState, client: LanguageClient) => void;
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

/** The states that a person can tell apart. */
const STATES: Partial<Record<State, ServerState>> = {[State.Running]: 'running', [State.Stopped]: 'stopped'};

/** Makes a client, which is not started yet. */
export function makeClient({context, log, environment, doubles, onState, onTurn}: Surroundings): LanguageClient {
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
        if (command === Command.run && values[0] === '') {
          return commands.executeCommand('skills.run');
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
  client.registerFeature(telling(client));
  client.onDidChangeState(({newState}) => onState(STATES[newState] ?? 'starting', client));
  return client;
}

/** Tells a server its settings anew. */
export async function tellSettings(client: LanguageClient, context: ExtensionContext): Promise<void> {
  if (client.isRunning()) {
    const settings = {skills: serverSettings(declaredSettings(context))};
    await client.sendNotification(DidChangeConfigurationNotification.type, {settings});
  }
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
