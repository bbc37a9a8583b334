import { chmodSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '@weir/core';
import { bucketUrlsOf } from '@weir/storage';

/** Permissions of the group and of others. */
const foreignRights = 0o077;
/** Shared directories such as `/tmp`, where every user has files. */
const stickyBit = 0o1000;

/** A directory with one of these is a data directory, or a bucket. */
const marks: readonly string[] = ['identity.json', '.weir-tmp'];
/** Names in a directory that is otherwise empty: the lock that was just taken, and what a file system adds. */
const insignificant = /^(?:process\..+|lost\+found)$/;

interface PrivateFiles {
  readonly dataDir?: string | undefined;
  /** A path or a URL; only a path names a file. */
  readonly databaseUrl?: string | undefined;
  /** Only `file://` names a directory, and `sqlite://` a file. */
  readonly bucketUrl?: string | undefined;
}

/**
 * Makes the files of a server private: those that this process creates from now on, and those that an earlier release
 * left readable for every user of the machine. They hold records, keys, and the secrets by which control-plane
 * processes trust each other.
 */
export function keepFilesPrivate(files: PrivateFiles, log: Pick<Log, 'warn'>): void {
  process.umask(foreignRights);
  for (const path of privatePaths(files)) makePrivate(path, log);
}

function privatePaths({ dataDir, databaseUrl, bucketUrl }: PrivateFiles): readonly string[] {
  const paths: string[] = [];
  if (dataDir !== undefined) paths.push(dataDir, join(dataDir, 'identity.json'));
  if (databaseUrl !== undefined && !/^\w+:\/\//.test(databaseUrl)) paths.push(...databaseFiles(databaseUrl));
  for (const url of bucketUrl === undefined ? [] : bucketUrlsOf(bucketUrl)) {
    if (url.startsWith('file://')) paths.push(bucketPath(url));
    if (url.startsWith('sqlite://')) paths.push(...databaseFiles(bucketPath(url.replace('sqlite', 'file'))));
  }
  return paths;
}

function bucketPath(fileUrl: string): string {
  const url = new URL(fileUrl);
  url.search = '';
  return fileURLToPath(url);
}

/** The database, its write-ahead log, the index of that log, and the locks of the processes that share it. */
function databaseFiles(path: string): readonly string[] {
  const name = basename(path);
  return namesIn(dirname(path))
    .filter((found) => found === name || /^-(?:wal|shm|journal|process-\d+)$/.test(found.slice(name.length)))
    .filter((found) => found.startsWith(name))
    .map((found) => join(dirname(path), found))
    .filter((found) => statusOf(found)?.isFile());
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The code that opens it afterwards reports the problem.
    return undefined;
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // The code that opens it afterwards reports the problem.
    return [];
  }
}

/** Whether a directory is ours. A URL may name any other one by mistake, which must stay as it is. */
function isOwn(directory: string): boolean {
  const names = namesIn(directory);
  return names.every((name) => insignificant.test(name)) || names.some((name) => marks.includes(name));
}

function makePrivate(path: string, log: Pick<Log, 'warn'>): void {
  const found = statusOf(path);
  if (found === undefined || (found.mode & foreignRights) === 0) return;
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  if ((found.mode & stickyBit) !== 0) {
    log.warn('found directory that other users can write, use a private one', { path, mode });
    return;
  }
  if (found.isDirectory() && !isOwn(path)) {
    log.warn('found directory of other programs that other users can access, use a private one', {
      path,
      mode,
    });
    return;
  }
  try {
    chmodSync(path, found.mode & 0o700);
    log.warn('removed access of other users', { path, mode });
  } catch (error) {
    log.warn('failed to remove access of other users', { path, mode, error: (error as Error).message });
  }
}
