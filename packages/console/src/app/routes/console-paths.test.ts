import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { consolePaths } from '@weir/api';

const folder = import.meta.dirname;

/** Paths of all routes with `$` for each parameter, read from their files: the router itself needs a browser. */
function routePaths(): ReadonlySet<string> {
  const parents = new Map([
    ['root', ''],
    ['frame', ''],
  ]);
  const found = new Set<string>();
  const text = readdirSync(folder)
    .filter((name) => !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  const route =
    /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(?:path: '([^']*)'|id: '[^']*')/g;
  const all = [...text.matchAll(route)].map(([, name, parent, path]) => ({ name, parent, path }));
  // A parent may stand in a file that is read later.
  for (let round = 0; round < 5; round++) {
    for (const { name, parent, path = '' } of all) {
      const before = parents.get(parent!);
      if (before !== undefined) parents.set(name!, (before + path).replace(/\/$/, ''));
    }
  }
  for (const { name } of all) found.add((parents.get(name!) ?? '').replaceAll(/\$\w*/g, '$') || '/');
  return found;
}

test('every link into the console leads to a page', () => {
  const routes = routePaths();
  for (const [name, pathOf] of Object.entries(consolePaths)) {
    const path = decodeURIComponent((pathOf as (...parts: string[]) => string)(...'$$$').split('?')[0]!);
    assert.ok(routes.has(path), `${name}: ${path} is no route of ${[...routes].join(' ')}`);
  }
});
