import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure, formatBytes } from '@weir/core';
import { cliLimits } from '../../limits.ts';
import type { DocumentSource } from './read-documents.ts';

/** Stands for standard input among the file names. */
const standardInput = '-';

interface ReadSources {
  readonly sources: readonly DocumentSource[];
  /** Why the others cannot be read, one sentence each. */
  readonly failures: readonly string[];
}

/** Reads the named files in order, each once. */
export async function readSources(
  paths: readonly string[],
  input: AsyncIterable<Uint8Array>,
): Promise<ReadSources> {
  const sources: DocumentSource[] = [];
  const failures: string[] = [];
  for (const path of new Set(paths)) {
    try {
      sources.push(
        path === standardInput
          ? { fileName: '(standard input)', folder: '.', text: await textOf('standard input', input) }
          : { fileName: path, folder: dirname(path), text: await fileText(path) },
      );
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error.message);
    }
  }
  return { sources, failures };
}

async function fileText(path: string): Promise<string> {
  try {
    const file = await open(path);
    return await textOf(path, file.createReadStream());
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`failed to read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

async function textOf(name: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of chunks) {
    parts.push(part);
    bytes += part.length;
    if (bytes > cliLimits.applyFileBytesMax)
      throw new Failure(`${name} is larger than ${formatBytes(cliLimits.applyFileBytesMax)}; split it`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch (error) {
    throw new Failure(`${name} is not UTF-8`, { cause: error });
  }
}
