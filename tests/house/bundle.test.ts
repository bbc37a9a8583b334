import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';

// Plain JavaScript, which has no types.
const { currentBundle } = (await import(
  new URL('../../scripts/current-bundle.mjs', import.meta.url).href
)) as { currentBundle(root: string): string | undefined };

let root: string;

beforeEach((context) => {
  root = mkdtempSync(join(tmpdir(), 'weir-bundle-'));
  mkdirSync(join(root, 'dist'));
  writeFileSync(join(root, 'source.ts'), 'one');
  // Two writes may have the same time, which has the grain of the system's clock.
  utimesSync(join(root, 'source.ts'), 1000, 1000);
  const { size, mtimeMs } = statSync(join(root, 'source.ts'));
  const current = { entry: 'bundle/main.mjs', sources: [['source.ts', size, mtimeMs]] };
  writeFileSync(join(root, 'dist/current.json'), JSON.stringify(current));
  if ('after' in context) context.after(() => rmSync(root, { recursive: true }));
});

test('a command starts from the bundle while no source has changed', () => {
  assert.equal(currentBundle(root), join(root, 'dist/bundle/main.mjs'));
});

const changes: Readonly<Record<string, () => void>> = {
  'there is no bundle': () => rmSync(join(root, 'dist'), { recursive: true }),
  'the description of the bundle is cut off': () => writeFileSync(join(root, 'dist/current.json'), '{"en'),
  'a source is longer': () => writeFileSync(join(root, 'source.ts'), 'one two'),
  'a source was written again': () => utimesSync(join(root, 'source.ts'), 1, 1),
  'a source has an edit of the same length': () => writeFileSync(join(root, 'source.ts'), 'two'),
  'an older source took its place': () => {
    writeFileSync(join(root, 'older.ts'), 'two');
    utimesSync(join(root, 'older.ts'), 1, 1);
    renameSync(join(root, 'older.ts'), join(root, 'source.ts'));
  },
  'a source was removed': () => rmSync(join(root, 'source.ts')),
};

for (const [name, change] of Object.entries(changes)) {
  test(`a command starts from its sources if ${name}`, () => {
    change();
    assert.equal(currentBundle(root), undefined);
  });
}

test('a bundle of the command can be made', () => {
  // An installation goes on without one, and its commands start from the sources, so that only this fails.
  const path = join(import.meta.dirname, '../../scripts/bundle.mjs');
  const { status, stderr } = spawnSync(process.execPath, [path, '--check'], { encoding: 'utf8' });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});
