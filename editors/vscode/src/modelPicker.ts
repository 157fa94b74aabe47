/** The choice of a conversation's model. */
import {type QuickPickItem, QuickPickItemKind, commands, window} from 'vscode';

import type {Agent} from './agent.ts';
import {editorModels} from './languageModel.ts';
import {Command, DEFAULT} from './protocol.ts';
import {modelName} from './settings.ts';

interface Item extends QuickPickItem {
  /** What the server is told: `PROVIDER:NAME`, or that the setting counts. */
  readonly value?: string;
  /** What is done instead. */
  readonly instead?: () => Thenable<unknown>;
}

/**
 * Offers the models that the server and the editor have, and any other name. The choice is this conversation's: the
 * settings say what others begin with.
 */
export async function selectModel(agent: Agent): Promise<void> {
  const {label, problem} = agent.asked;
  const placeHolder = problem ?? `The model of this conversation, from its next turn on; now ${label}`;
  const chosen = await window.showQuickPick(offer(agent), {placeHolder, matchOnDescription: true});
  if (chosen?.instead !== undefined) {
    await chosen.instead();
  } else if (chosen?.value !== undefined) {
    await agent.execute(Command.models, chosen.value);
  }
}

async function offer(agent: Agent): Promise<Item[]> {
  const {problem} = agent.asked;
  const [listed, lent] = await Promise.all([problem === undefined ? agent.models() : [], editorModels()]);
  const current = (is: boolean) => (is ? ', current' : '');
  const key = {label: '$(key) Set the API key…', instead: () => commands.executeCommand('skills.setApiKey')};
  return [
    ...(problem === undefined ? [] : [key]),
    ...listed.map(({name, modelId, provider, isCurrent}) => ({
      label: name,
      description: `${provider}${current(isCurrent)}`,
      value: `${provider}:${modelId}`,
    })),
    ...lent.map(({name, id, vendor}) => ({
      label: name,
      description: `${vendor}, of this editor${current(agent.model === `editor:${id}`)}`,
      value: `editor:${id}`,
    })),
    {label: '$(edit) Another name…', instead: () => askForName(agent)},
    {label: '', kind: QuickPickItemKind.Separator},
    {label: '$(discard) The default', description: modelName(), value: DEFAULT},
    {
      label: '$(settings-gear) Set the default…',
      description: 'what conversations begin with',
      instead: () => commands.executeCommand('workbench.action.openSettings', '@ext:skills-ls.skills-ls model'),
    },
  ];
}

async function askForName(agent: Agent): Promise<void> {
  const name = await window.showInputBox({
    prompt: "The model's name; `openai:NAME` for one of another provider",
    value: agent.model,
  });
  if (name !== undefined && name.trim() !== '') {
    await agent.execute(Command.models, name.trim());
  }
}
