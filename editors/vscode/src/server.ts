import {accessSync, constants, statSync} from 'node:fs';
import {delimiter, isAbsolute, join} from 'node:path';

/** Where to look for the server. */
export interface Places {
  /** The setting `skills.server.path`; empty where the person set none. */
  readonly setting: string;
  /** The extension's folder, which holds the server for its platform. */
  readonly extension: string;
  /** `PATH`. */
  readonly path: string;
  readonly windows: boolean;
}

/** The server's program, or for the person why there is none and what to do. */
export type Found = {readonly program: string} | {readonly problem: string};

/** Finds the server: the person's own, the one that came with the extension, or the first on `PATH`. */
export function findServer({setting, extension, path, windows}: Places): Found {
  const name = windows ? 'skills-ls.exe' : 'skills-ls';
  if (setting !== '') {
    // A relative one would depend on the folder, which came with a repository.
    if (!isAbsolute(setting)) {
      return {problem: `The setting skills.server.path is "${setting}"; it must be an absolute path.`};
    }
    return isProgram(setting)
      ? {program: setting}
      : {
          problem: `The setting skills.server.path names ${setting}, which is no program. Correct it or empty it.`,
        };
  }
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const program = [join(extension, 'bin'), ...folders].map((folder) => join(folder, name)).find(isProgram);
  return program === undefined
    ? {problem: `There is no ${name} on PATH. Install it, or name it in the setting skills.server.path.`}
    : {program};
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
