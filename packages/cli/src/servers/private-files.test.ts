import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { keepFilesPrivate } from './private-files.ts';

let directory: string;
let umask: number;
const warned: unknown[] = [];
const log = { warn: (message: string, fields: object = {}) => void warned.push({ message, ...fields }) };

beforeEach(() => {
  umask = process.umask(0o022);
  directory = mkdtempSync(join(tmpdir(), 'weir-private-'));
  warned.length = 0;
});

afterEach(() => {
  process.umask(umask);
  rmSync(directory, { recursive: true });
});

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

test('new files are accessible only to the user of the process', () => {
  keepFilesPrivate({}, log);
  mkdirSync(join(directory, 'made'));
  writeFileSync(join(directory, 'made', 'file'), '');
  assert.deepEqual(
    [modeOf(join(directory, 'made')), modeOf(join(directory, 'made', 'file'))],
    ['700', '600'],
  );
});

test('files that an earlier release left readable are repaired, with a warning that names them', () => {
  const dataDir = join(directory, 'data');
  mkdirSync(join(dataDir, 'bucket'), { recursive: true });
  const files = ['identity.json', 'weir.db', 'weir.db-wal', 'weir.db-shm', 'weir.db-process-0'];
  for (const name of files) writeFileSync(join(dataDir, name), 'secret');
  writeFileSync(join(dataDir, 'notes.txt'), 'not ours');
  chmodSync(dataDir, 0o755);
  keepFilesPrivate(
    {
      dataDir,
      databaseUrl: join(dataDir, 'weir.db'),
      bucketUrl: `${pathToFileURL(join(dataDir, 'bucket')).href}?prefix=folder`,
    },
    log,
  );
  assert.deepEqual(
    ['.', 'bucket', ...files, 'notes.txt'].map((name) => modeOf(join(dataDir, name))),
    ['700', '700', '600', '600', '600', '600', '600', '644'],
  );
  assert.equal(warned.length, 7);
  assert.deepEqual(warned[0], { message: 'removed access of other users', path: dataDir, mode: '0755' });
});

test('the files of a bucket in SQLite are repaired', () => {
  const files = ['bucket.db', 'bucket.db-wal', 'bucket.db-shm', 'bucket.dbx'].map((name) =>
    join(directory, name),
  );
  for (const path of files) writeFileSync(path, 'records');
  keepFilesPrivate({ bucketUrl: `sqlite://${directory}/bucket.db?prefix=folder` }, log);
  assert.deepEqual(files.map(modeOf), ['600', '600', '600', '644']);
});

test('private or missing files cause no warning', () => {
  const dataDir = join(directory, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  keepFilesPrivate({ dataDir, databaseUrl: 'postgres://db/weir', bucketUrl: 'file:///does/not/exist' }, log);
  keepFilesPrivate({ databaseUrl: 'memory://x', bucketUrl: 'mem://x' }, log);
  keepFilesPrivate({ bucketUrl: 'sqlite:///does/not/exist.db' }, log);
  assert.deepEqual(warned, []);
});

test('a directory that all users share stays unchanged, with a warning', () => {
  chmodSync(directory, 0o1777);
  mkdirSync(join(directory, 'of-another-program'));
  keepFilesPrivate({ bucketUrl: pathToFileURL(directory).href }, log);
  assert.deepEqual([modeOf(directory), modeOf(join(directory, 'of-another-program'))], ['1777', '755']);
  assert.equal(warned.length, 1);
});

test('a directory with files of other programs stays unchanged, with a warning', () => {
  writeFileSync(join(directory, 'notes.txt'), 'not ours');
  chmodSync(directory, 0o755);
  keepFilesPrivate({ dataDir: directory }, log);
  keepFilesPrivate({ bucketUrl: pathToFileURL(directory).href }, log);
  assert.deepEqual([modeOf(directory), warned.length], ['755', 2]);
  mkdirSync(join(directory, '.weir-tmp'));
  keepFilesPrivate({ bucketUrl: pathToFileURL(directory).href }, log);
  assert.equal(modeOf(directory), '700');
});

test('a new data directory is made private', () => {
  for (const name of ['process.lock', 'process.pid', 'lost+found']) writeFileSync(join(directory, name), '');
  chmodSync(directory, 0o755);
  keepFilesPrivate({ dataDir: directory }, log);
  assert.equal(modeOf(directory), '700');
});

test('a URL or a path of a database that names a directory leaves it unchanged', () => {
  chmodSync(directory, 0o755);
  keepFilesPrivate({ bucketUrl: `sqlite://${directory}`, databaseUrl: directory }, log);
  assert.deepEqual([modeOf(directory), warned], ['755', []]);
});

test('a path that cannot be looked at is left to the code that opens it', () => {
  const loop = join(directory, 'loop');
  symlinkSync(loop, loop);
  keepFilesPrivate({ dataDir: loop, databaseUrl: loop, bucketUrl: `file://${loop}` }, log);
  keepFilesPrivate({ bucketUrl: `sqlite://${loop}` }, log);
  assert.deepEqual(warned, []);
});
