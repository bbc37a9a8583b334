import type { DataFile } from './data-file.ts';

interface Waiter {
  /** Those that are not yet committed. */
  readonly files: Set<DataFile>;
  readonly resolve: () => void;
}

/** Calls that wait until certain files are committed, or given up. */
export class CommitWaiters {
  #waiters: Waiter[] = [];

  add(files: Iterable<DataFile>): Promise<void> {
    return new Promise((resolve) => {
      const awaited = new Set(files);
      if (awaited.size === 0) resolve();
      else this.#waiters.push({ files: awaited, resolve });
    });
  }

  left(file: DataFile): void {
    this.#waiters = this.#waiters.filter(({ files, resolve }) => {
      if (files.delete(file) && files.size === 0) resolve();
      return files.size > 0;
    });
  }

  abandon(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }
}
