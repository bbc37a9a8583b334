import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '@weir/core';
import { type DataFiles, InvalidTable } from '@weir/iceberg';
import { tableLimits } from '../limits.ts';
import { SqlLimitExceeded } from './sql-errors.ts';

export interface WantedFile {
  readonly files: Pick<DataFiles, 'readRange'>;
  /** A full URI. Files of tables are never changed. */
  readonly path: string;
  readonly bytes: number;
}

interface Copy {
  readonly localPath: string;
  readonly bytes: number;
  readonly written: Promise<void>;
  readonly stop: AbortController;
  isWritten: boolean;
  /** Queries that need it; it is not removed meanwhile. */
  readers: number;
}

/** Files that are copied at the same time for a query. */
const copiesMax = 4;

/**
 * Copies of data files on this machine, for queries: DuckDB reads local files alone. They are kept for later queries as
 * long as there is room. The directory is its own; what is in it at first is deleted.
 */
export class LocalCopies {
  readonly #directory: string;
  readonly #bytesMax: number;
  /** By URI; the least recently used first. */
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;
  #nextCopy = 1;
  #emptied: Promise<void> | undefined;

  constructor(directory: string, bytesMax: number = 2 * tableLimits.tableSqlReadBytesMax) {
    this.#directory = directory;
    this.#bytesMax = bytesMax;
  }

  /** Runs a task over local copies of files, in their order. */
  async using<Result>(
    wanted: readonly WantedFile[],
    signal: AbortSignal,
    task: (localPaths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    this.#emptied ??= this.#empty();
    await this.#emptied;
    const held: Copy[] = [];
    try {
      for (let at = 0; at < wanted.length; at += copiesMax) {
        for (const file of wanted.slice(at, at + copiesMax)) held.push(this.#hold(file));
        await unlessAborted(Promise.all(held.slice(at).map(({ written }) => written)), signal);
      }
      return await task(held.map(({ localPath }) => localPath));
    } finally {
      for (const copy of held) {
        copy.readers--;
        if (copy.readers === 0 && !copy.isWritten) copy.stop.abort();
      }
    }
  }

  /** Removes all copies. */
  async close(): Promise<void> {
    for (const { stop } of this.#copies.values()) stop.abort();
    await Promise.allSettled([this.#emptied, ...this.#copies.values().map(({ written }) => written)]);
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #empty(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  #hold(file: WantedFile): Copy {
    const known = this.#copies.get(file.path);
    if (known !== undefined && !known.stop.signal.aborted) {
      this.#copies.delete(file.path);
      this.#copies.set(file.path, known);
      known.readers++;
      return known;
    }
    if (known !== undefined) this.#forget(file.path, known);
    this.#makeRoom(file.bytes);
    const localPath = join(this.#directory, `${this.#nextCopy++}.parquet`);
    const stop = new AbortController();
    const written = write(file, localPath, stop.signal);
    const copy: Copy = { localPath, bytes: file.bytes, written, stop, isWritten: false, readers: 1 };
    this.#copies.set(file.path, copy);
    this.#bytes += file.bytes;
    written.then(
      () => {
        copy.isWritten = true;
      },
      () => this.#forget(file.path, copy),
    );
    return copy;
  }

  #makeRoom(bytes: number): void {
    for (const [uri, copy] of this.#copies) {
      if (this.#bytes + bytes <= this.#bytesMax) return;
      if (copy.readers === 0) this.#forget(uri, copy);
    }
    if (this.#bytes + bytes > this.#bytesMax)
      throw new SqlLimitExceeded(
        `other queries read ${formatBytes(this.#bytes)} of data files now, the most is ${formatBytes(this.#bytesMax)}; try again later`,
      );
  }

  #forget(uri: string, copy: Copy): void {
    if (this.#copies.get(uri) !== copy) return;
    this.#copies.delete(uri);
    this.#bytes -= copy.bytes;
    // A file that cannot be removed now goes with the directory.
    rm(copy.localPath, { force: true }).catch(() => {});
  }
}

async function write(
  { files, path, bytes }: WantedFile,
  localPath: string,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(localPath, 'w', 0o600);
  try {
    for (let at = 0; at < bytes; ) {
      signal.throwIfAborted();
      const part = await files.readRange(
        path,
        at,
        Math.min(bytes, at + tableLimits.tableSqlReadPartBytes),
        signal,
      );
      if (part === undefined)
        throw new InvalidTable(`${path}: the file is missing; a program deleted it, or it expired meanwhile`);
      // A file that is shorter than its table says is found to be damaged by its reader.
      if (part.length === 0) return;
      await handle.write(part, 0, part.length, at);
      at += part.length;
    }
  } finally {
    await handle.close();
  }
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
