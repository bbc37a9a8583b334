import { close, constants, fdatasync, fsync, open, writev } from 'node:fs';

/** `IOV_MAX` of all systems that Node runs on. */
const slicesPerWrite = 1024;

const newFile = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;

/**
 * Set where a write can include its own sync. Elsewhere the flag is missing, or guarantees less than a sync.
 *
 * File system calls go through a thread pool, and the round trip costs more than most of the calls. That is also why
 * this file uses callbacks: a promise of `node:fs` costs several times as much as a promise around a callback.
 */
const syncedWrites = process.platform === 'linux' ? constants.O_DSYNC : undefined;

/**
 * Creates a file that did not exist. Its content is durable when this resolves, its name is not, unless `onCreated`,
 * which runs beside the write, syncs it.
 */
export async function writeSyncedFile(
  path: string,
  slices: readonly Uint8Array[],
  signal: AbortSignal | undefined,
  onCreated?: () => Promise<void>,
): Promise<void> {
  const isOneWrite = slices.length > 0 && slices.length <= slicesPerWrite;
  const isSyncedByWrite = isOneWrite && syncedWrites !== undefined;
  const file = await opened(path, isSyncedByWrite ? newFile | syncedWrites : newFile);
  const created = onCreated?.();
  // Awaited below; a failure must not count as unhandled until then.
  created?.catch(() => {});
  try {
    for (let at = 0; at < slices.length; at += slicesPerWrite) {
      signal?.throwIfAborted();
      await writeAll(file, isOneWrite ? slices : slices.slice(at, at + slicesPerWrite));
    }
    if (!isSyncedByWrite) await done((called) => fdatasync(file, called));
  } finally {
    closeWithoutAnswer(file);
    // The slices belong to the caller again when this settles, whatever becomes of the name.
    await created;
  }
}

/**
 * Directories that stay open to be synced again. No other process may remove and recreate such a directory: then the
 * old one would be synced. The store itself never removes one.
 */
export class SyncedDirectories {
  readonly #openMax: number;
  /** Least recently used first. */
  readonly #open = new Map<string, Promise<number>>();

  constructor(openMax: number) {
    this.#openMax = openMax;
  }

  /** Resolves when the names in the directory are durable. */
  async sync(path: string): Promise<void> {
    const cached = this.#open.get(path);
    const directory = cached ?? opened(path, constants.O_RDONLY);
    if (cached !== undefined) this.#open.delete(path);
    this.#open.set(path, directory);
    try {
      const descriptor = await directory;
      await done((called) => fsync(descriptor, called));
    } catch (error) {
      this.forget(path);
      throw error;
    }
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= this.#openMax) return;
      this.forget(oldest);
    }
  }

  forget(path: string): void {
    const directory = this.#open.get(path);
    this.#open.delete(path);
    directory?.then(closeWithoutAnswer, () => {});
  }

  close(): void {
    for (const path of [...this.#open.keys()]) this.forget(path);
  }
}

/** A write may write less than it was given. */
async function writeAll(file: number, slices: readonly Uint8Array[]): Promise<void> {
  let left = slices;
  while (left.length > 0) {
    let bytesWritten = await written(file, left);
    let whole = 0;
    while (whole < left.length && bytesWritten >= left[whole]!.length) bytesWritten -= left[whole++]!.length;
    if (whole === left.length) return;
    left = [left[whole]!.subarray(bytesWritten), ...left.slice(whole + 1)];
  }
}

function opened(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, flags, (error, descriptor) => {
      if (error === null) resolve(descriptor);
      else reject(error);
    });
  });
}

function written(file: number, slices: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) => {
    writev(file, slices, (error, bytesWritten) => {
      if (error === null) resolve(bytesWritten);
      else reject(error);
    });
  });
}

export function done(call: (called: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/** An error of close says nothing about data that was synced. */
function closeWithoutAnswer(descriptor: number): void {
  close(descriptor, () => {});
}
