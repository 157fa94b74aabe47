import {window} from 'vscode';

import {activePlace} from './agent.ts';

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
