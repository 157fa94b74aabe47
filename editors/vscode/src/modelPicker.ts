/** The choice of a conversation's model. */
import {type LanguageModelChat, type QuickPickItem, QuickPickItemKind, commands, window} from 'vscode';

import type {Agent} from './agent.ts';
import {findModels} from './languageModel.ts';
import {Command, DEFAULT, type ListedModel} from './protocol.ts';
import {modelName} from './settings.ts';

interface Item extends QuickPickItem {
  /** What the server is told: `PROVIDER:NAME`, or that the setting counts. */
  readonly value?: string;
  /** What is done instead. */
  readonly instead?: (agent: Agent) => Thenable<unknown>;
}

/**
 * Offers the models that the server and the editor have, as they become known, and any other name. The choice is this
 * conversation's: the settings say what others begin with.
 */
export async function selectModel(agent: Agent): Promise<void> {
  const {label, problem} = agent.asked;
  const pick = window.createQuickPick<Item>();
  pick.placeholder = problem ?? `The model of this conversation, from its next turn on; now ${label}`;
  pick.matchOnDescription = true;
  pick.busy = true;
  const models = new Map<string, Item>();
  const offer = (found: readonly Item[]) => {
    for (const item of found) {
      models.set(item.value ?? item.label, item);
    }
    const moved = pick.activeItems[0] !== pick.items[0] ? pick.activeItems[0]?.label : undefined;
    pick.items = [...(problem === undefined ? [] : [KEY]), ...models.values(), ...others()];
    // Where the person went stays under the cursor while more come.
    const active = pick.items.find((item) => item.label === moved);
    if (active !== undefined) {
      pick.activeItems = [active];
    }
  };
  offer([]);
  const listed = problem === undefined ? agent.models().then((all) => offer(all.map(ofServer))) : undefined;
  const lent = findModels((found) => offer(found.map((model) => ofEditor(model, agent.model))));
  void Promise.allSettled([listed, lent]).then(() => (pick.busy = false));
  const chosen = await new Promise<Item | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  });
  pick.dispose();
  if (chosen?.instead !== undefined) {
    await chosen.instead(agent);
  } else if (chosen?.value !== undefined) {
    await agent.execute(Command.models, chosen.value);
  }
}

const current = (is: boolean) => (is ? ', current' : '');

function ofServer({name, modelId, provider, isCurrent}: ListedModel): Item {
  return {label: name, description: `${provider}${current(isCurrent)}`, value: `${provider}:${modelId}`};
}

function ofEditor({name, id, vendor}: LanguageModelChat, model: string | undefined): Item {
  return {
    label: name,
    description: `${vendor}, of this editor${current(model === `editor:${id}`)}`,
    value: `editor:${id}`,
  };
}

const KEY: Item = {label: '$(key) Set the API key…', instead: () => commands.executeCommand('skills.setApiKey')};

/** What is offered behind the models. */
function others(): Item[] {
  return [
    {label: '$(edit) Another name…', instead: askForName},
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
