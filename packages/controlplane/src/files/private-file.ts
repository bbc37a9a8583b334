import { open } from 'node:fs/promises';
import { controlPlaneLimits } from '../limits.ts';

/** The mode bits that a file must not have, and the suggested mode. */
interface Rule {
  readonly forbidden: number;
  readonly allowed: string;
}

/** The group may read, because that is how Kubernetes gives a secret to a process that does not run as root. */
const secretRule: Rule = { forbidden: 0o027, allowed: '0640' };
const trustedRule: Rule = { forbidden: 0o022, allowed: '0644' };

/**
 * Reads a file with secrets, through symbolic links, unless its mode shows that others could have read or written it.
 */
export function readPrivateFile(path: string): Promise<string> {
  return readFile(path, secretRule);
}

/** Reads a file that configures trust, unless others than its owner could have written it. */
export function readTrustedFile(path: string): Promise<string> {
  return readFile(path, trustedRule);
}

async function readFile(path: string, { forbidden, allowed }: Rule): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { mode, size } = await file.stat();
    if ((mode & forbidden) !== 0) {
      const found = (mode & 0o777).toString(8).padStart(4, '0');
      throw new Error(`the file has mode ${found}, which lets in too many; chmod it to ${allowed} or less`);
    }
    if (size > controlPlaneLimits.settingsFileBytesMax) {
      throw new Error(
        `the file has ${size} bytes; at most ${controlPlaneLimits.settingsFileBytesMax} are read`,
      );
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
