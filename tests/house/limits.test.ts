import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { documentedLimits, limitsByPackage, limitsPage } from '../../scripts/limits-page.ts';
import { root, typescriptFiles } from './repository.ts';

const sources = typescriptFiles().filter(({ path }) => /^packages\/\w+\/src\/limits\.ts$/.test(path));

test('every limit is documented', () => {
  for (const [name, limits] of Object.entries(limitsByPackage)) {
    const source = sources.find(({ path }) => path === `packages/${name}/src/limits.ts`);
    assert.ok(source !== undefined, name);
    const { summary, groups } = documentedLimits(source.text);
    assert.notEqual(summary, '', name);
    const documented = groups.filter(({ text }) => text !== '').flatMap(({ names }) => names);
    assert.deepEqual(
      documented.toSorted(),
      Object.keys(limits).toSorted(),
      `${name}: limits without a comment`,
    );
  }
  assert.deepEqual(
    sources.map(({ path }) => path.split('/')[1]).toSorted(),
    Object.keys(limitsByPackage).toSorted(),
    'packages with limits that scripts/limits-page.ts does not list',
  );
});

test('a limit has one definition, and is a positive number', () => {
  const all = Object.values(limitsByPackage).flatMap((limits) => Object.entries(limits));
  assert.deepEqual(
    all.filter(([, value]) => !Number.isSafeInteger(value) || value <= 0),
    [],
  );
  const names = all.map(([name]) => name);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

test('docs/reference/limits.md lists them', () => {
  const onDisk = readFileSync(join(root, 'docs/reference/limits.md'), 'utf8');
  assert.equal(onDisk, limitsPage(), 'run npm run docs');
});

test('a comment documents the limits up to the next one, and a limit without a comment is found', () => {
  const source = [
    '/** Limits of a test. */',
    'export const testLimits = {',
    '  bare: 1,',
    '',
    '  /** One. */',
    '  a: 1,',
    '',
    '  /**',
    '   * Two',
    '   * lines.',
    '   */',
    '  b: 4 * KiB,',
    '  c: 10_000,',
    '} as const;',
    '',
  ].join('\n');
  assert.deepEqual(documentedLimits(source), {
    summary: 'Limits of a test.',
    groups: [
      { text: '', names: ['bare'] },
      { text: 'One.', names: ['a'] },
      { text: 'Two lines.', names: ['b', 'c'] },
    ],
  });
});
