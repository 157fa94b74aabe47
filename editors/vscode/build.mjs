// Bundles the extension and the page of the agent's view into dist/.
import {readFile, stat} from 'node:fs/promises';
import {build} from 'esbuild';

/** The functions that TypeScript writes into each file of the language client: a hundred times the same. */
const HELPER = /^var (__\w+) = \(this && this\.\1\) \|\| ([\s\S]*?^\}[()]*;)\n/gm;

/** Bundles those functions once, which takes 27 KB off the extension. */
const shareHelpers = {
  name: 'share-helpers',
  setup({onLoad, onResolve}) {
    const bodies = new Map();
    onResolve({filter: /^helper:/}, ({path}) => ({path: path.slice('helper:'.length), namespace: 'helper'}));
    onLoad({filter: /./, namespace: 'helper'}, ({path}) => ({contents: bodies.get(path), loader: 'js'}));
    onLoad({filter: /node_modules.vscode-[\w-]+.lib.*\.js$/}, async ({path}) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(HELPER, (_, name, body) => {
        const needed = [...bodies.keys()].filter((other) => other !== name && body.includes(other));
        const requires = needed.map((other) => `var ${other} = require("helper:${other}");\n`);
        bodies.set(name, `${requires.join('')}module.exports = ${body}`);
        return `var ${name} = require("helper:${name}");\n`;
      });
      return {contents, loader: 'js'};
    });
  },
};

/** Features of the language client that a server of skills has no use for. */
const UNUSED = [
  'callHierarchy',
  'colorProvider',
  'declaration',
  'implementation',
  'inlineCompletion',
  'inlineValue',
  'linkedEditingRange',
  'signatureHelp',
  'textDocumentContent',
  'typeDefinition',
  'typeHierarchy',
];
const NO_FEATURE = `module.exports = new Proxy({}, {
  get: () => class { fillClientCapabilities() {} initialize() {} clear() {} getState() { return {kind: 'static'}; } },
});`;
/** The server is told about no notebooks; the feature that asks for diagnostics listens to this one all the same. */
const NO_NOTEBOOKS = `const listen = () => ({dispose() {}});
exports.NotebookDocumentSyncFeature = class {
  static CellScheme = 'vscode-notebook-cell';
  registrationType = {method: 'notebookDocument/sync'};
  onOpenNotificationSent = listen;
  onChangeNotificationSent = listen;
  onSaveNotificationSent = listen;
  onCloseNotificationSent = listen;
  fillClientCapabilities() {}
  initialize() {}
  handles() { return false; }
  register() {}
  unregister() {}
  clear() {}
  getState() { return {kind: 'static'}; }
};`;
/** The client asks for a version of the editor that the manifest asks for anyway. */
const NO_SEMVER = 'module.exports = (version) => ({version});';

/** Leaves out what is never used: some 80 KB of the extension. */
const leaveOut = {
  name: 'leave-out',
  setup({onLoad}) {
    const unused = new RegExp(`vscode-languageclient.lib.common.(${UNUSED.join('|')})\\.js$`);
    onLoad({filter: unused}, () => ({contents: NO_FEATURE, loader: 'js'}));
    onLoad({filter: /vscode-languageclient.lib.common.notebook\.js$/}, () => ({contents: NO_NOTEBOOKS, loader: 'js'}));
    onLoad({filter: /semver.functions.(parse|satisfies)\.js$/}, () => ({contents: NO_SEMVER, loader: 'js'}));
  },
};

const shared = {
  bundle: true,
  minify: true,
  sourcemap: process.argv.includes('--sourcemap'),
  target: 'es2023',
  logLevel: 'warning',
};
await build({
  ...shared,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  platform: 'node',
  format: 'cjs',
  mainFields: ['module', 'main'],
  external: ['vscode'],
  alias: {minimatch: './src/glob.ts'},
  plugins: [leaveOut, shareHelpers],
});
await build({
  ...shared,
  entryPoints: {chat: 'src/chat/page/page.ts', 'chat-style': 'src/chat/page/page.css', readers: 'src/readers.css'},
  outdir: 'dist',
  platform: 'browser',
  format: 'iife',
});

// An extension that starts with the editor is read by everyone who starts the editor.
const LIMIT = 400_000;
const {size} = await stat('dist/extension.js');
if (size > LIMIT) {
  throw new Error(`dist/extension.js has ${size} bytes; it is to stay under ${LIMIT}`);
}
