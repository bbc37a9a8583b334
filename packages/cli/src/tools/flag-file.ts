import { readFile } from 'node:fs/promises';
import { Failure } from '@weir/core';
import type { FlagName } from '../flags/catalogue.ts';
import { toolStyle } from '../flags/names.ts';

/** Reads the file that a flag names. */
export async function readFlagFile(flag: FlagName, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`-${toolStyle(flag)}=${path}: failed to read the file (${code})`);
  }
}
