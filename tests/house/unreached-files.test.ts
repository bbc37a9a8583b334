import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson, repositoryFiles, typescriptFiles } from './repository.ts';
import { unreachedFiles } from './unreached-files.ts';

/** What the bench and tests of other programs use of a package whose parts agents load one by one. */
const aheadOfUse = [
  'packages/iceberg/src/index.ts',
  'packages/migration/src/batches/index.ts',
  'packages/migration/src/configs/index.ts',
  'packages/migration/src/configuration/index.ts',
  'packages/migration/src/engine/index.ts',
  'packages/migration/src/groups/index.ts',
  'packages/migration/src/source/index.ts',
  'packages/migration/src/truncation/index.ts',
  'packages/tables/src/index.ts',
];

/** The command, the script of the console's pages, and the scripts that write the reference pages. */
function isRoot(path: string): boolean {
  return (
    ['packages/cli/src/main.ts', 'packages/console/src/main.tsx', ...aheadOfUse].includes(path) ||
    path.startsWith('scripts/')
  );
}

function packageEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const path of repositoryFiles().filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))) {
    const { name, exports } = readJson(path) as { name: string; exports: Record<string, string> };
    const folder = path.replace(/package\.json$/, '');
    for (const [entry, file] of Object.entries(exports))
      entries.set(name + entry.slice(1), folder + file.slice(2));
  }
  return entries;
}

test('no file of a package is used by tests alone', () => {
  const found = unreachedFiles(typescriptFiles(), packageEntries(), isRoot);
  assert.deepEqual(found, [], 'delete them, or move them to the testing folder of their package');
});

test('the rule finds what it should', () => {
  const texts: Record<string, string> = {
    'packages/cli/src/main.ts': "import { used } from '@weir/x';\nawait import('./later.ts');",
    'packages/cli/src/later.ts': "const worker = import.meta.resolve('./worker.ts'); // './commented.ts'",
    'packages/cli/src/worker.ts': '',
    'packages/cli/src/commented.ts': '',
    'packages/cli/src/alone.ts': "import './of-alone.ts';",
    'packages/cli/src/of-alone.ts': '',
    'packages/cli/src/alone.test.ts': "import './alone.ts';",
    'packages/cli/testing/helper.ts': "import { exported } from '@weir/x';",
    'packages/x/src/index.ts': "export { one as used } from './a.ts';\nexport { exported } from './b.ts';",
    'packages/x/src/a.ts': "import * as all from './c/index.ts';\nexport const one = all;",
    'packages/x/src/b.ts': 'export const exported = 1;',
    'packages/x/src/c/index.ts': "export { d } from './d.ts';",
    'packages/x/src/c/d.ts': 'export const d = 1;',
  };
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
  const found = unreachedFiles(files, new Map([['@weir/x', 'packages/x/src/index.ts']]), isRoot);
  assert.deepEqual(found, [
    'packages/cli/src/commented.ts',
    'packages/cli/src/alone.ts',
    'packages/cli/src/of-alone.ts',
    'packages/x/src/b.ts',
  ]);
});
