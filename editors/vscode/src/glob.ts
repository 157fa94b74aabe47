/** Patterns of the protocol's file operations. Stands in for `minimatch`, which is most of 30 KB for this one class. */
export class Minimatch {
  readonly #expression: RegExp;

  /** @param glob May contain `**`, `*`, `?` and `{one,other}`; a name may begin with a dot. */
  constructor(glob: string, {nocase = false}: {readonly nocase?: boolean} = {}) {
    this.#expression = new RegExp(`^${source(glob)}$`, nocase ? 'is' : 's');
  }

  /** The expression that decides. */
  makeRe(): RegExp {
    return this.#expression;
  }

  /** Whether a path with `/` between its folders is meant. */
  match(path: string): boolean {
    return this.#expression.test(path);
  }
}

const WILD: Readonly<Record<string, string>> = {'**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]'};

function source(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|[*?]|\{[^{}]*\}|[\\^$.|+()[\]{}]/g, (part) => {
    if (part.length > 2 && part.startsWith('{')) {
      return `(?:${part.slice(1, -1).split(',').map(source).join('|')})`;
    }
    return WILD[part] ?? `\\${part}`;
  });
}
