import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Minimatch} from '../src/glob.ts';

for (const [glob, matching, others] of [
  ['**', ['/shop', '/shop/.claude/skills/a'], []],
  ['**/SKILL.md', ['/shop/.claude/skills/a/SKILL.md', 'SKILL.md'], ['/shop/SKILLxmd', '/shop/NOSKILL.md']],
  ['**/*.{ts,tsx}', ['/shop/a.ts', '/shop/.b/a.tsx'], ['/shop/a.js', '/shop/a.ts/b']],
  ['/shop/?/(a)', ['/shop/x/(a)'], ['/shop/xy/(a)', '/shop//(a)']],
] as const) {
  test(`glob: ${glob}`, () => {
    const matcher = new Minimatch(glob);
    assert.deepEqual([...matching, ...others].filter((path) => matcher.match(path)), matching);
  });
}

test('glob: case counts unless the server says otherwise', () => {
  assert.equal(new Minimatch('**/SKILL.md').match('/a/skill.md'), false);
  assert.equal(new Minimatch('**/SKILL.md', {nocase: true}).match('/a/skill.md'), true);
});
