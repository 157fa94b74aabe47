import {Uri, workspace} from 'vscode';
import type {LanguageClient} from 'vscode-languageclient/node';

import {messageOf} from './agent.ts';
import type {SaveAnswer} from './protocol.ts';

/** Saves the documents that the server names and no others: a command is about to run, which sees the disk alone. */
export function saveOnRequest(client: LanguageClient): void {
  client.onRequest('skills/workspace/save', async ({uris}: {uris: readonly string[]}): Promise<SaveAnswer> => {
    const saved: string[] = [];
    const failed: {uri: string; message: string}[] = [];
    for (const uri of uris) {
      const wanted = Uri.parse(uri).toString();
      const document = workspace.textDocuments.find((open) => open.uri.toString() === wanted);
      try {
        if (document?.isDirty === true && !(await document.save())) {
          throw new Error('the editor did not save it');
        }
        saved.push(uri);
      } catch (error) {
        failed.push({uri, message: messageOf(error)});
      }
    }
    return {saved, failed};
  });
}
