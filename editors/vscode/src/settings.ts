import {workspace} from 'vscode';

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
  settings['trust.workspace'] = trust(settings['trust.workspace']);
  return settings;

  function defaultOf(key: string): string | undefined {
    return JSON.stringify(configuration.inspect(key)?.defaultValue);
  }
}

/** What the person chose as the model: its name, or where it comes from. */
export function modelName(): string {
  const configuration = workspace.getConfiguration('skills.model');
  return configuration.get('name', '') || configuration.get('provider', '');
}

/** The environment variable where the server looks for the key of the chosen provider. */
export function keyVariable(): string {
  const configuration = workspace.getConfiguration('skills.model');
  const vendor = configuration.get('provider', '').startsWith('openai') ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY';
  return configuration.get('apiKeyEnv', '') || vendor;
}

/** Whether the agent may edit here: never where the editor trusts nothing, else as the person set it. */
function trust(set: unknown): unknown {
  if (!workspace.isTrusted) {
    return false;
  }
  if (set !== undefined) {
    return set;
  }
  // Where the person switched the editor's question off, nobody has said that they trust this folder: the server asks.
  const asked = workspace.getConfiguration('security.workspace.trust').get('enabled', true);
  return asked ? true : null;
}
