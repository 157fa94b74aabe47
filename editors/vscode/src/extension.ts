import {type ExtensionContext, Uri, commands, window, workspace} from 'vscode';
import type {LanguageClient} from 'vscode-languageclient/node';

import {Agent, messageOf} from './agent.ts';
import {Catalog} from './catalog.ts';
import {Changes} from './changes.ts';
import {ChatPanel} from './chat/panel.ts';
import {registerCommands, secretOf} from './commands.ts';
import {Doubles} from './duplicateDiagnostics.ts';
import {lendModels} from './languageModel.ts';
import {participant} from './participant.ts';
import {ReadersPanel} from './readers.ts';
import {saveOnRequest} from './saving.ts';
import {keyVariables, program} from './settings.ts';
import {SkillsView} from './skillsView.ts';
import {statusBar} from './statusBar.ts';

let client: LanguageClient | undefined;

/** Puts the parts together, and starts the server without waiting for it. */
export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel('Skills', {log: true});
  const agent = new Agent();
  const catalog = new Catalog(() => program(context), log);
  const view = new SkillsView(agent, catalog);
  const beside = {runnable: () => view.runnable(), onDidChange: view.onDidChangeTreeData};
  const chat = new ChatPanel(agent, beside, context.extensionUri);
  const changes = new Changes();
  const readers = new ReadersPanel(agent, context.extensionUri);

  const doubles = new Doubles(() => client);

  const start = async () => {
    agent.serverIs('starting');
    try {
      // The client is most of this extension: it is read once the views are there, and others had their turn.
      await new Promise(setImmediate);
      const {makeClient} = await import('./client.ts');
      client = makeClient({
        context,
        log,
        environment: await environment(context),
        doubles,
        onState: (state, of) => agent.serverIs(state, of),
        onTurn: (command, values) => {
          agent.starting(command, values);
          void chat.reveal();
        },
      });
      agent.attach(client);
      changes.attach(client);
      lendModels(client);
      saveOnRequest(client);
      await client.start();
      await catalog.refresh();
    } catch (error) {
      log.error(messageOf(error));
      agent.serverIs('stopped');
      const choice = await window.showErrorMessage(`Skills: ${messageOf(error)}`, 'Open Settings', 'Show Log');
      if (choice === 'Open Settings') {
        await commands.executeCommand('workbench.action.openSettings', 'skills.server.path');
      } else if (choice === 'Show Log') {
        log.show();
      }
    }
  };
  const restart = async () => {
    await client?.dispose().catch((error: unknown) => log.warn(messageOf(error)));
    await start();
  };

  const tell = async () => {
    if (client !== undefined) {
      const {tellSettings} = await import('./client.ts');
      await tellSettings(client, context);
    }
  };

  context.subscriptions.push(
    log,
    catalog,
    chat,
    changes,
    readers,
    doubles,
    ...statusBar(agent),
    ...participant(agent, Uri.joinPath(context.extensionUri, 'media/icon.png')),
    window.createTreeView('skills.list', {treeDataProvider: view}),
    window.registerWebviewViewProvider(ChatPanel.id, chat, {webviewOptions: {retainContextWhenHidden: false}}),
    agent.onDidChange(() => {
      if (agent.conversation.questions.length > 0) {
        void chat.reveal();
      }
    }),
    workspace.onDidChangeConfiguration((event) => {
      const startsAnew = ['server.path', 'model.apiKeyEnv', 'model.provider'];
      if (startsAnew.some((key) => event.affectsConfiguration(`skills.${key}`))) {
        void restart();
      } else if (event.affectsConfiguration('skills')) {
        void tell();
      }
    }),
  );
  registerCommands({context, agent, catalog, view, chat, changes, readers, log, restart});
  void start();
}

/** Stops the server. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** The keys go to the server alone, each in the variable where it looks for it. */
async function environment(context: ExtensionContext): Promise<Record<string, string>> {
  const keys: Record<string, string> = {};
  for (const variable of keyVariables()) {
    const key = await context.secrets.get(secretOf(variable));
    if (key !== undefined) {
      keys[variable] = key;
    }
  }
  return keys;
}
