import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from './make-directory.ts';
import { makePrivateFile } from './private-file.ts';

/**
 * Names for the processes that share a SQLite file, each backed by a lock that the operating system drops when the
 * process dies and not before. So a process that can take the lock of a name knows that its owner is gone, without
 * waiting for a lease to expire: a process that is merely paused, slow or partitioned still has it. SQLite runs on one
 * machine, where such locks can be trusted.
 *
 * The lock is held here, in the main thread, and not where the journal is written: it must live as long as any code of
 * the process could rely on a lease.
 */
export class ProcessLocks {
  readonly #path: string;
  #own: { readonly number: number; readonly lock: DatabaseSync } | undefined;

  constructor(databasePath: string) {
    this.#path = databasePath;
  }

  /** Claims a name that no live process has: the first free one, so that a restarted process often gets its own. */
  claim(): string {
    makeDirectory(dirname(this.#path));
    for (let number = 0; this.#own === undefined; number++) {
      if (number >= slotsMax)
        throw new Error(`journal: ${this.#path}: more than ${slotsMax} processes share it`);
      const lock = this.#tryLock(number);
      if (lock !== undefined) this.#own = { number, lock };
    }
    return nameOf(this.#own.number);
  }

  /** Whether the process of this name is gone; false for names of another form, about which nothing is known. */
  isGone(name: string): boolean {
    const number = numberOf(name);
    if (number === undefined || number === this.#own?.number) return false;
    const lock = this.#tryLock(number);
    lock?.close();
    return lock !== undefined;
  }

  release(): void {
    this.#own?.lock.close();
    this.#own = undefined;
  }

  #tryLock(number: number): DatabaseSync | undefined {
    const path = `${this.#path}-process-${number}`;
    // A user who may open it could keep a lock on it, so that the process counts as alive.
    makePrivateFile(path);
    const lock = new DatabaseSync(path, { timeout: 0 });
    try {
      lock.exec('BEGIN EXCLUSIVE');
      return lock;
    } catch {
      lock.close();
      return undefined;
    }
  }
}

const slotsMax = 64;

function nameOf(number: number): string {
  return `process-${number}`;
}

function numberOf(name: string): number | undefined {
  const digits = /^process-(\d{1,2})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
