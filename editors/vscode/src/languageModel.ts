/** Lends the editor's own language models to the server: no key is needed where the person is signed in to one. */
import {
  type CancellationToken,
  CancellationTokenSource,
  type LanguageModelChat,
  LanguageModelChatMessage,
  LanguageModelChatToolMode,
  LanguageModelError,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
  lm,
} from 'vscode';
import type {LanguageClient} from 'vscode-languageclient/node';

import {messageOf} from './agent.ts';
import type {ModelMessage, ModelPart, ModelRequest} from './protocol.ts';

/** How long a model is waited for: it comes with its extension, which may still be starting. */
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

/** The models that the editor has, for a picker. */
export async function editorModels(): Promise<readonly LanguageModelChat[]> {
  return lm.selectChatModels().then(
    (models) => models,
    () => [],
  );
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
  const isWanted = (model: LanguageModelChat) =>
    name === undefined || [model.id, model.family, model.name].includes(name);
  const end = Date.now() + STARTING_MS;
  let models = await editorModels();
  while (!models.some(isWanted) && !token.isCancellationRequested && Date.now() < end) {
    await modelsChange(end - Date.now(), token);
    models = await editorModels();
  }
  const wanted = models.find(isWanted);
  if (wanted !== undefined) {
    return wanted;
  }
  throw new Error(
    models.length === 0
      ? 'this editor has no language model: sign in to one, such as Copilot, or set another skills.model.provider'
      : `this editor has no model "${name ?? ''}"; it has ${models.map((model) => model.id).join(', ')}`,
  );
}

/** Ends when other models are there, or the time is over. */
async function modelsChange(ms: number, token: CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const listener of listeners) {
        listener.dispose();
      }
      resolve();
    };
    const timer = setTimeout(done, ms);
    const listeners = [lm.onDidChangeChatModels(done), token.onCancellationRequested(done)];
  });
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
