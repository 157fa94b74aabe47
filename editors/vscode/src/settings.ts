import {type ExtensionContext, workspace} from 'vscode';

import {findServer} from './server.ts';

/** This extension's own settings, which the server does not know. */
const OURS = ['server.path'];

/**
 * The settings as the server takes them, with what the person set and nothing else, so that the server's defaults and
 * the environment stay in force. VS Code itself keeps a folder's settings out of those of machine scope.
 *
 * @param declared The keys of this extension's settings, with the section's name.
 */
export function serverSettings(declared: readonly string[]): Record<string, unknown> {
  const configuration = workspace.getConfiguration('skills');
  const keys = declared.map((key) => key.replace(/^skills\./, '')).filter((key) => !OURS.includes(key));
  const settings: Record<string, unknown> = {};
  for (const key of keys) {
    const value: unknown = configuration.get(key);
    if (value !== '' && value !== null && JSON.stringify(value) !== defaultOf(key)) {
      settings[key] = value;
    }
  }
  return settings;

  function defaultOf(key: string): string | undefined {
    return JSON.stringify(configuration.inspect(key)?.defaultValue);
  }
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

const ANTHROPIC_KEY = 'ANTHROPIC_API_KEY';
const OPENAI_KEY = 'OPENAI_API_KEY';

/** All variables where the server may look for a key: a conversation may have another provider than the settings. */
export function keyVariables(): readonly string[] {
  return [...new Set([keyVariable(), ANTHROPIC_KEY, OPENAI_KEY])];
}

/** What the settings say of the model: its name, or where it comes from. */
export function modelName(): string {
  const configuration = workspace.getConfiguration('skills.model');
  return configuration.get('name', '') || configuration.get('provider', '');
}

/** The environment variable where the server looks for the key of the chosen provider. */
export function keyVariable(): string {
  const configuration = workspace.getConfiguration('skills.model');
  const vendor = configuration.get('provider', '').startsWith('openai') ? OPENAI_KEY : ANTHROPIC_KEY;
  return configuration.get('apiKeyEnv', '') || vendor;
}
