// Bundles the extension and the page of the agent's view into dist/.
import {build} from 'esbuild';

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
});
await build({
  ...shared,
  entryPoints: {chat: 'src/chat/page/page.ts', 'chat-style': 'src/chat/page/page.css'},
  outdir: 'dist',
  platform: 'browser',
  format: 'iife',
});
