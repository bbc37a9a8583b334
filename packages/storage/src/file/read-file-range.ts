import { closeSync, fstatSync, open, read, type Stats } from 'node:fs';
import type { GetOptions } from '../store/object-store.ts';

/**
 * Reads bytes `start` to `end` of a file, fewer if it ends before; `undefined` if it is no file.
 *
 * Most log files are read once and whole, so the price per file counts. Only what may wait for a disk goes to the
 * thread pool, because each such trip costs more than the call itself: the size and the end of an open file that was
 * not written are known without.
 */
export async function readFileRange(
  path: string,
  start: number,
  end: number,
  { memory = (bytes) => Buffer.allocUnsafe(bytes), onVersion }: Omit<GetOptions, 'signal'> = {},
): Promise<Buffer | undefined> {
  const file = await opened(path);
  try {
    const info = fstatSync(file);
    if (!info.isFile()) return undefined;
    onVersion?.(versionOf(info));
    const range = memory(Math.max(0, Math.min(end, info.size) - start));
    let filled = 0;
    while (filled < range.length) {
      const bytes = await readInto(file, range, filled, start + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    return range.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/** A file that was written or replaced has another one. */
function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}/${ino}/${size}/${mtimeMs}/${ctimeMs}`;
}

function opened(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (error, file) => (error === null ? resolve(file) : reject(error)));
  });
}

function readInto(file: number, range: Buffer, filled: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, range, filled, range.length - filled, position, (error, bytes) =>
      error === null ? resolve(bytes) : reject(error),
    );
  });
}
