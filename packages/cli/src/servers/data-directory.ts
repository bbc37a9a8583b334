import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '@weir/core';
import { makeDirectory, makePrivateFile } from '@weir/journal';

/** Whether a process has its directory for itself, as a playground does, or shares it, as control planes do. */
type DataDirectoryUse = 'alone' | 'shared';

/**
 * Prepares a data directory for this process, or fails with one line: it exists, is writable, and no process with an
 * incompatible use is in it. Returns the function that ends the use.
 */
export function openDataDirectory(path: string, use: DataDirectoryUse): () => void {
  explaining(path, () => {
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  });
  return lockDirectory(path, use);
}

/** The operating system releases the lock when the process dies, and not before. The pid is only informational. */
function lockDirectory(path: string, use: DataDirectoryUse): () => void {
  const lockPath = join(path, 'process.lock');
  const pidPath = join(path, 'process.pid');
  return explaining(path, () => {
    // A user who may open it could keep a lock on it, so that the process never starts again.
    makePrivateFile(lockPath);
    const lock = new DatabaseSync(lockPath, { timeout: 0 });
    try {
      lock.exec(use === 'alone' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema');
    } catch (error) {
      lock.close();
      if (!/locked|busy/.test((error as Error).message)) throw error;
      throw new Failure(`-dataDir ${path}: in use by ${holder(pidPath)}; stop it, or use another directory`);
    }
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
    return () => {
      if (pidIn(pidPath) === process.pid) rmSync(pidPath, { force: true });
      lock.close();
    };
  });
}

function holder(pidPath: string): string {
  const pid = pidIn(pidPath);
  return pid === undefined ? 'another process' : `process ${pid}`;
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

const advice: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; use another directory',
  EPERM: 'permission denied; use another directory',
  EROFS: 'the file system is read-only; use another directory',
  ENOTDIR: 'not a directory; use another directory',
  ENOSPC: 'the disk is full',
  ENOENT: 'failed to create it; use another directory',
};

/** Runs work on a data directory; file system errors become one line. */
export function explaining<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    const isFile = /^E[A-Z]+$/.test(code) || code === 'ERR_SQLITE_ERROR';
    if (!isFile) throw error;
    throw new Failure(`-dataDir ${path}: ${advice[code] ?? `${message}; use another directory`}`);
  }
}
