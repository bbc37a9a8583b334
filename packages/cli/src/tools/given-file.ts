import { Failure, formatBytes } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { FlagName } from '../flags/catalogue.ts';
import { toolStyle } from '../flags/names.ts';
import { readFlagFile } from './flag-file.ts';

/** The text of the file that a flag names; `-` is standard input. */
export async function readGivenFile(
  flag: FlagName,
  path: string,
  bytesMax: number,
  { input }: Pick<Deps, 'input'>,
): Promise<string> {
  const bytes = path === '-' ? await inputBytes(input, bytesMax) : await readFlagFile(flag, path);
  if (bytes.length > bytesMax)
    throw new Failure(`-${toolStyle(flag)}=${path}: is larger than ${formatBytes(bytesMax)}`);
  const text = bytes.toString();
  if (text.trim() === '') throw new Failure(`-${toolStyle(flag)}=${path}: is empty`);
  return text;
}

/** Stops reading soon after the limit. */
async function inputBytes(input: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks);
}
