/** Archives of a release, read by tar. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ReleaseFile } from '../../../scripts/release/release-file.ts';
import { filesOfTar, tarGzOf, tarOf } from '../../../scripts/release/tar.ts';

const scratch = mkdtempSync(join(tmpdir(), 'weir-tar-'));
after(() => rmSync(scratch, { recursive: true }));

const timeSeconds = 1_700_000_000;
const long = `${'folder-of-a-package/'.repeat(7)}file.js`;
const files: readonly ReleaseFile[] = [
  { path: 'weir/bin/weir', bytes: Buffer.from('#!/bin/sh\n'), isProgram: true },
  { path: 'weir/empty', bytes: new Uint8Array() },
  { path: 'weir/link', linkTo: 'bin/weir' },
  { path: 'weir/state/', folderMode: 0o700, owner: 65_532 },
  { path: long, bytes: Buffer.alloc(1000, 'x') },
];

test('tar lists every file with its rights, its owner and one time', () => {
  const path = join(scratch, 'a.tar.gz');
  writeFileSync(path, tarGzOf(files, timeSeconds));
  const listed = execFileSync('tar', ['--utc', '--full-time', '--numeric-owner', '-tvzf', path], {
    encoding: 'utf8',
  });
  const rows = listed
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
  const shown = Object.fromEntries(
    rows.map(([mode, owner, size, , , ...name]) => [name.join(' '), `${mode} ${owner} ${size}`]),
  );
  assert.equal(shown['weir/bin/weir'], '-rwxr-xr-x 0/0 10');
  assert.equal(shown['weir/bin/'], 'drwxr-xr-x 0/0 0');
  assert.equal(shown['weir/empty'], '-rw-r--r-- 0/0 0');
  assert.equal(shown['weir/link -> bin/weir'], 'lrwxrwxrwx 0/0 0');
  assert.equal(shown['weir/state/'], 'drwx------ 65532/65532 0');
  assert.equal(shown[long], '-rw-r--r-- 0/0 1000');
  assert.deepEqual(
    new Set(rows.map(([, , , day, time]) => `${day} ${time}`)),
    new Set(['2023-11-14 22:13:20']),
  );
});

test('the order of files is no part of an archive', () => {
  assert.deepEqual(tarGzOf([...files].reverse(), timeSeconds), tarGzOf(files, timeSeconds));
});

test('what was written is read, as is what tar writes with long names', () => {
  const own = filesOfTar(tarOf(files, timeSeconds));
  const expected = files.filter((file) => !('folderMode' in file));
  const shown = (all: readonly ReleaseFile[]) =>
    all.map((file) => [file.path, 'bytes' in file ? Buffer.from(file.bytes).toString() : 'a link']).sort();
  assert.deepEqual(shown(own), shown(expected));
  writeFileSync(join(scratch, 'own.tar'), tarOf(files, timeSeconds));
  execFileSync('tar', ['-xf', 'own.tar'], { cwd: scratch });
  for (const format of ['gnu', 'pax', 'ustar']) {
    const again = execFileSync('tar', [`--format=${format}`, '-c', 'weir', 'folder-of-a-package'], {
      cwd: scratch,
    });
    assert.deepEqual(shown(filesOfTar(again)), shown(expected), format);
  }
});

test('a name that no archive can hold, and one that is there twice, are refused', () => {
  const file = (path: string) => ({ path, bytes: new Uint8Array() });
  assert.throws(() => tarOf([file('x'.repeat(101))], timeSeconds), /too long for a tar archive/);
  assert.throws(() => tarOf([file('a'), file('a')], timeSeconds), /twice/);
});
