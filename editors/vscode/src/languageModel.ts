/** Lends the editor's own language models to the server: no key is needed where the person is signed in to one. */
import {setTimeout as pause} from 'node:timers/promises';

import {
  type CancellationToken,
  CancellationTokenSource,
  type Disposable,
  type LanguageModelChat,
  LanguageModelChatMessage,
  LanguageModelChatToolMode,
  LanguageModelError,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  extensions,
  lm,
  workspace,
} from 'vscode';
import type {LanguageClient} from 'vscode-languageclient/node';

import {messageOf} from './agent.ts';
import type {ModelMessage, ModelPart, ModelRequest} from './protocol.ts';

/** How long providers may take to answer, in milliseconds: they start, sign in and ask their servers. */
const ANSWER_MS = 30_000;

/** How long a missing model is waited for once every provider has answered: its extension may still be starting. */
const STARTING_MS = 5_000;

/** Answers the server's requests for a model. */
export function lendModels(client: LanguageClient): void {
  const running = new Map<string, CancellationTokenSource>();
  client.onRequest('skills/lm/request', (request: ModelRequest) => {
    const source = new CancellationTokenSource();
    running.set(request.requestId, source);
    // The answer comes in parts, after this reply or beside it.
    void ask(client, request, source).finally(() => {
      running.delete(request.requestId);
      source.dispose();
    });
    return {accepted: true};
  });
  client.onNotification('skills/lm/cancel', ({requestId}: {requestId: string}) => running.get(requestId)?.cancel());
}

/**
 * Gives the models that each provider of this editor has as soon as it answers, and ends when all have. A provider that
 * is offline or waits for a sign-in holds up no other; asked for all at once, the editor answers when the last one does.
 */
export async function findModels(found: (models: readonly LanguageModelChat[]) => void): Promise<void> {
  const vendors = extensions.all.flatMap(({packageJSON}) => vendorsOf(packageJSON));
  // Extensions that run on another machine are not listed here: their models come with the answer for all.
  const selectors = [...[...new Set(vendors)].map((vendor) => ({vendor})), {}];
  await Promise.allSettled(selectors.map(async (selector) => found(await lm.selectChatModels(selector))));
}

/** The providers that an extension's manifest declares; extensions of others may hold anything there. */
function vendorsOf(manifest: unknown): string[] {
  const declared = (manifest as {contributes?: {languageModelChatProviders?: unknown}} | undefined)?.contributes;
  const providers = [declared?.languageModelChatProviders ?? []].flat() as ({vendor?: unknown} | null)[];
  return providers.map((provider) => provider?.vendor).filter((vendor) => typeof vendor === 'string');
}

async function ask(client: LanguageClient, request: ModelRequest, source: CancellationTokenSource): Promise<void> {
  const {requestId, messages, tools, toolMode} = request;
  const tell = (method: string, params: object) => client.sendNotification(method, {requestId, ...params});
  try {
    const model = await choose(request.model, source.token);
    const response = await model.sendRequest(
      messages.map(toMessage),
      {
        justification: 'Skills: the turn that you started needs a language model.',
        tools: tools.map(({name, description, inputSchema}) => ({name, description, inputSchema})),
        toolMode: toolMode === 'required' ? LanguageModelChatToolMode.Required : LanguageModelChatToolMode.Auto,
      },
      source.token,
    );
    for await (const part of response.stream) {
      if (part instanceof LanguageModelTextPart) {
        await tell('skills/lm/chunk', {part: {type: 'text', text: part.value}});
      } else if (part instanceof LanguageModelToolCallPart) {
        const {callId, name, input} = part;
        await tell('skills/lm/chunk', {part: {type: 'tool_call', callId, name, input}});
      }
    }
    await tell('skills/lm/end', {});
  } catch (error) {
    // A server that is gone waits for nothing.
    await tell('skills/lm/end', {error: explain(error)}).catch(() => undefined);
  }
}

/** The model that the person named, by any of its names; the editor's first where they named none. */
async function choose(name: string | undefined, token: CancellationToken): Promise<LanguageModelChat> {
  const models = new Map<string, LanguageModelChat>();
  const wanted = () =>
    [...models.values()].find((model) => name === undefined || [model.id, model.family, model.name].includes(name));
  const listeners: Disposable[] = [];
  await new Promise<void>((end) => {
    const look = () =>
      findModels((found) => {
        for (const model of found) {
          models.set(`${model.vendor}/${model.id}`, model);
        }
        // Which one is the editor's first is known once all have answered.
        if (name !== undefined && wanted() !== undefined) {
          end();
        }
      });
    listeners.push(
      lm.onDidChangeChatModels(() => void look()),
      token.onCancellationRequested(() => end()),
    );
    void pause(ANSWER_MS).then(end);
    void look().then(() => (wanted() === undefined ? pause(STARTING_MS) : undefined)).then(end);
  });
  for (const listener of listeners) {
    listener.dispose();
  }
  const model = wanted();
  if (model !== undefined) {
    return model;
  }
  if (models.size === 0 && !workspace.isTrusted) {
    throw new Error('no language model in Restricted Mode: trust this folder');
  }
  throw new Error(
    models.size === 0
      ? 'this editor has no language model: sign in to one, such as Copilot'
      : `this editor has no model "${name ?? ''}"; it has ${[...models.values()].map(({id}) => id).join(', ')}`,
  );
}

function explain(error: unknown): string {
  if (error instanceof LanguageModelError) {
    switch (error.code) {
      case LanguageModelError.NoPermissions.name:
        return 'the model was not allowed: allow it when the editor asks, or under "Manage Language Model Access"';
      case LanguageModelError.Blocked.name:
        return `the model refused, or its quota is used up: ${error.message}`;
      case LanguageModelError.NotFound.name:
        return `the model is gone: choose another (${error.message})`;
    }
  }
  return messageOf(error);
}

function toMessage({role, content}: ModelMessage): LanguageModelChatMessage {
  if (role === 'assistant') {
    return LanguageModelChatMessage.Assistant(content.flatMap(toAssistantPart));
  }
  return LanguageModelChatMessage.User(content.flatMap(toUserPart));
}

function toAssistantPart(part: ModelPart): (LanguageModelTextPart | LanguageModelToolCallPart)[] {
  switch (part.type) {
    case 'text':
      return [new LanguageModelTextPart(part.text)];
    case 'tool_call':
      return [new LanguageModelToolCallPart(part.callId, part.name, part.input)];
    case 'tool_result':
      return [];
  }
}

function toUserPart(part: ModelPart): (LanguageModelTextPart | LanguageModelToolResultPart)[] {
  switch (part.type) {
    case 'text':
      return [new LanguageModelTextPart(part.text)];
    case 'tool_result':
      return [new LanguageModelToolResultPart(part.callId, [new LanguageModelTextPart(part.content)])];
    case 'tool_call':
      return [];
  }
}
