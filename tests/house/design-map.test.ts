import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { designMap } from './design-map.ts';
import { repositoryFiles, root } from './repository.ts';

const files = repositoryFiles();
const map = designMap(readFileSync(join(root, 'DESIGN.md'), 'utf8'));

/** Names of the folders directly below one. */
function foldersBelow(folder: string): string[] {
  const below = files
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1));
  return [
    ...new Set(below.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!)),
  ].toSorted();
}

test('the map of DESIGN.md has every package and every folder of its sources, once', () => {
  const packages = foldersBelow('packages');
  assert.ok(packages.length > 10, 'the packages were found');
  assert.deepEqual(map.repeated, []);
  assert.deepEqual(
    Object.fromEntries([...map.packages].map(([name, folders]) => [name, folders.toSorted()])),
    Object.fromEntries(packages.map((name) => [name, foldersBelow(`packages/${name}/src`)])),
  );
});

test('it has the folders beside the packages', () => {
  const top = new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!));
  const named = [...top]
    .filter((name) => !name.startsWith('.') && name !== 'packages' && name !== 'tests')
    .concat(foldersBelow('tests').map((name) => `tests/${name}`));
  assert.deepEqual(map.others.toSorted(), named.toSorted());
});

test('the rule finds what it should', () => {
  const found = designMap(`## Map

| package | purpose |
|---|---|
| \`a\` | one; \`x/\` and \`testing/\` |
| \`b\` | large, see \`SPEC.md\` |

### packages/b/src

- \`one/\`, \`two/\`: both, not \`named/\` here; \`three/\`: another.
- \`one/\`: again.

### Beside the packages

- \`tests/house/\`: rules.

## Next
`);
  assert.deepEqual(
    [...found.packages],
    [
      ['a', ['x']],
      ['b', ['one', 'two', 'three', 'one']],
    ],
  );
  assert.deepEqual(found.repeated, ['one']);
  assert.deepEqual(found.others, ['tests/house']);
});
