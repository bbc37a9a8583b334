/** Copies between the bucket and the disk, a part at a time. */
import { open } from 'node:fs/promises';
import { Failure, MiB } from '@weir/core';
import type { DataFile, DataFiles } from '@weir/iceberg';

const partBytes = 4 * MiB;

/** Throws if the file has another length than the table says. */
export async function download(
  dataFiles: DataFiles,
  { path, fileBytes }: Pick<DataFile, 'path' | 'fileBytes'>,
  localPath: string,
  signal: AbortSignal,
): Promise<void> {
  const bytes = Number(fileBytes);
  const local = await open(localPath, 'wx');
  try {
    for (let at = 0; at < bytes; ) {
      signal.throwIfAborted();
      const end = Math.min(bytes, at + partBytes);
      const part = await dataFiles.readRange(path, at, end, signal);
      if (part === undefined)
        throw new Failure(
          `${path}: the file is missing; the table refers to it, so a program deleted it too early`,
        );
      if (part.length !== end - at)
        throw new Failure(`${path}: the file has ${at + part.length} bytes, and the table says ${bytes}`);
      await local.writeFile(part);
      at = end;
    }
  } finally {
    await local.close();
  }
}

export async function upload(
  dataFiles: DataFiles,
  localPath: string,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const local = await open(localPath, 'r');
  try {
    const written = await dataFiles.beginWrite(path, signal);
    try {
      const part = Buffer.allocUnsafe(partBytes);
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await local.read(part, 0, partBytes);
        if (bytesRead === 0) break;
        await written.write(part.subarray(0, bytesRead));
      }
      await written.finish();
    } catch (error) {
      await written.abort();
      throw error;
    }
  } finally {
    await local.close();
  }
}
