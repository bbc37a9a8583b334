import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typescriptFiles } from './repository.ts';
import { exportedNames, unusedExports } from './unused-exports.ts';

test('every export is used by another file', () => {
  assert.deepEqual(unusedExports(typescriptFiles()), []);
});

test('exports are found in every form', () => {
  const text = `
    // export const inComment = 1;
export const a = 1;
export async function b() {}
export abstract class C {}
export type { D, E as F } from './d.ts';
export {
  g,
  type H,
};
const notExported = 1;
`;
  assert.deepEqual(exportedNames(text), ['a', 'b', 'C', 'D', 'F', 'g', 'H']);
});

test('the rule finds what it should', () => {
  const files = [
    { path: 'packages/x/src/index.ts', text: "export { used, inside } from './a.ts';" },
    {
      path: 'packages/x/src/a.ts',
      text: 'export const used = 1;\nexport const inside = 2;\nexport const alone = 3;',
    },
    { path: 'packages/x/src/b.ts', text: "import { inside } from './a.ts'; // alone" },
    { path: 'packages/y/src/c.ts', text: "import { used } from '@weir/x';" },
  ];
  assert.deepEqual(unusedExports(files), ['packages/x/src/index.ts: inside', 'packages/x/src/a.ts: alone']);
});
