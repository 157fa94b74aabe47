/** What the server is told without being asked: which folders the person trusts, and where they look. */
import {type Disposable, window, workspace} from 'vscode';
import type {LanguageClient, StaticFeature} from 'vscode-languageclient/node';

import {activePlace} from './agent.ts';
import type {FocusParams, TrustParams} from './protocol.ts';

/** How long a selection has to stand before it is told. */
const SETTLE_MILLISECONDS = 250;

/** Begins when the server is ready, each time anew. */
export function telling(client: LanguageClient): StaticFeature {
  let listeners: Disposable[] = [];
  let due: NodeJS.Timeout | undefined;
  const trust = () => void client.sendNotification('skills/workspace/didChangeTrust', trustNow());
  const focus = () => {
    clearTimeout(due);
    const params = focusNow();
    if (params !== undefined) {
      void client.sendNotification('skills/textDocument/didFocus', params);
    }
  };
  return {
    fillClientCapabilities() {},
    initialize() {
      trust();
      focus();
      listeners = [
        workspace.onDidGrantWorkspaceTrust(trust),
        workspace.onDidChangeWorkspaceFolders(trust),
        window.onDidChangeActiveTextEditor(focus),
        window.onDidChangeTextEditorSelection(() => {
          clearTimeout(due);
          due = setTimeout(focus, SETTLE_MILLISECONDS);
        }),
      ];
    },
    getState: () => ({kind: 'static'}),
    clear() {
      clearTimeout(due);
      listeners.forEach((listener) => void listener.dispose());
      listeners = [];
    },
  };
}

/** What the editor says of its folders; nothing where the person switched its question off: the server asks then. */
function trustNow(): TrustParams {
  const {isTrusted, workspaceFolders = []} = workspace;
  const asked = workspace.getConfiguration('security.workspace.trust').get('enabled', true);
  const folders = isTrusted && !asked ? [] : workspaceFolders;
  return {items: folders.map(({uri}) => ({folderUri: uri.toString(), trusted: isTrusted}))};
}

/** Where the person looks; `undefined` where something else has the focus and their document is still shown. */
function focusNow(): FocusParams | undefined {
  const {uri, range} = activePlace();
  if (uri !== undefined) {
    return {textDocument: {uri}, selection: range};
  }
  return window.visibleTextEditors.length === 0 ? {textDocument: null} : undefined;
}
