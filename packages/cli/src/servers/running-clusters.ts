import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@weir/core';

/** A self-contained cluster of this user on this machine, for tools without another address and key. */
interface RunningOnMachine {
  readonly name: string;
  readonly apiUrl: string;
  readonly applicationKey: string;
  readonly accountKey: string;
}

/** A user without a home has no such list. */
function directoryOf({ HOME: home }: Environment): string | undefined {
  return home === undefined || home === '' ? undefined : join(home, '.weir', 'running');
}

/**
 * Lists a running cluster until the returned function is called. Only its user may read the file, because it contains
 * keys. A home that cannot be written is no reason not to start.
 */
export function listAsRunning(cluster: RunningOnMachine, environment: Environment): () => void {
  const directory = directoryOf(environment);
  if (directory === undefined) return () => {};
  const path = join(directory, `${process.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify(cluster)}\n`, { mode: 0o600, flag: 'wx' });
  } catch {
    return () => {};
  }
  return () => rmSync(path, { force: true });
}

/** The clusters of this user that run now. Files of processes that were killed are removed. */
export function runningClusters(environment: Environment): readonly RunningOnMachine[] {
  const directory = directoryOf(environment);
  if (directory === undefined) return [];
  let files: readonly string[];
  try {
    files = readdirSync(directory).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
  return files.flatMap((name) => {
    const path = join(directory, name);
    try {
      if (isAlive(Number.parseInt(name, 10)))
        return [JSON.parse(readFileSync(path, 'utf8')) as RunningOnMachine];
      rmSync(path, { force: true });
    } catch {
      // Another user's file, or one that its process has just removed.
    }
    return [];
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
