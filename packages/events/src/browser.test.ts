import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { importedWithoutNode } from '@weir/core/testing';

/** The console imports the package. */
test('the package loads without Node', async () => {
  const urls = ['./index.ts', './filter/compile.ts'].map((path) => new URL(path, import.meta.url));
  const matches = `({ parseFilter, presets }, { compileFilter }) => {
    const { filter } = parseFilter(presets[0].filter);
    return compileFilter(filter)({ data: { log_level: "warn" } });
  }`;
  assert.equal(await importedWithoutNode(urls, matches), true);
});

test('the filter language and the definitions import nothing of Node', () => {
  const files = globSync(['*.ts', 'filter/*.ts'], { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] });
  assert.ok(files.length > 20);
  const importing = files.filter((name) =>
    /'node:/.test(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')),
  );
  assert.deepEqual(importing, []);
});
