import {readFileSync} from 'node:fs';

const DOCUMENT = new URL('../../server/lsp/protocol.md', import.meta.url);

/** Whether the server has a message: what it documents is what it has. */
export function protocolHas(method: string): boolean {
  return readFileSync(DOCUMENT, 'utf8').includes(`\n### \`${method}\`\n`);
}
