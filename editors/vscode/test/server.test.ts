import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {test} from 'node:test';

import {findServer} from '../src/server.ts';

const root = mkdtempSync(join(tmpdir(), 'server-'));

function program(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(join(file, '..'), {recursive: true});
  writeFileSync(file, '#!/bin/sh\n', {mode: 0o755});
  return file;
}

const bundled = program('extension/bin/skills-ls');
const onPath = program('path/skills-ls');
const own = program('own/server');
const plain = join(root, 'plain');
writeFileSync(plain, '');
const path = ['relative', join(root, 'empty'), join(root, 'path')].join(delimiter);
const none = join(root, 'none');

for (const [name, places, expected] of [
  ["the person's own goes first", {setting: own, extension: join(root, 'extension'), path}, own],
  ['then the one that came with the extension', {setting: '', extension: join(root, 'extension'), path}, bundled],
  ['then the first on PATH', {setting: '', extension: none, path}, onPath],
  ['a wrong setting is told, not passed over', {setting: plain, extension: none, path}, /is no program/],
  ['a folder is no program', {setting: root, extension: none, path}, /is no program/],
  ['a relative setting is refused', {setting: 'skills-ls', extension: none, path}, /absolute/],
  ['where there is none, the way out is told', {setting: '', extension: none, path: ''}, /skills\.server\.path/],
] as const) {
  test(`server: ${name}`, () => {
    const found = findServer({...places, windows: false});
    if (typeof expected === 'string') {
      assert.deepEqual(found, {program: expected});
    } else {
      assert.match('problem' in found ? found.problem : found.program, expected);
    }
  });
}
