import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '@weir/journal';
import { readPrivateFile } from '../../files/private-file.ts';
import { controlPlaneLimits } from '../../limits.ts';
import { createSecretBox, type SecretBox, secretKeyBytes } from './secret-box.ts';

interface SecretBoxOptions {
  /** As `openAccounts` takes it. */
  readonly databaseUrl: string;
  /** The file that the operator configured. */
  readonly keyFile?: string | undefined;
  readonly randomBytes: (count: number) => Uint8Array;
}

/**
 * Opens the secret box of an installation. Its key is never in the database:
 *
 * - in the file that the operator configured, which all processes of a control plane share, or else
 * - beside a SQLite database, in a file that is created at the first start, so that a copy of the database alone is
 *   useless, or
 * - for a database in memory, only in memory: both end with the process.
 *
 * A PostgreSQL database without a file has no box. What needs one is then refused, because a key that each process made
 * for itself would open nothing elsewhere.
 */
export async function openSecretBox(options: SecretBoxOptions): Promise<SecretBox | undefined> {
  const { databaseUrl, keyFile, randomBytes } = options;
  if (keyFile !== undefined) return boxOf(await readPrivateFile(keyFile), randomBytes);
  if (/^memory:/i.test(databaseUrl)) return createSecretBox([randomBytes(secretKeyBytes)], randomBytes);
  if (databaseUrl.includes('://')) return undefined;
  const path = `${databaseUrl}.secret-key`;
  const text = await readPrivateFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return madeFile(path, randomBytes);
  });
  return boxOf(text, randomBytes);
}

/** Processes that start together create one file: only a complete one gets the name, and later processes read it. */
async function madeFile(path: string, randomBytes: (count: number) => Uint8Array): Promise<string> {
  makeDirectory(dirname(path));
  const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${Buffer.from(randomBytes(secretKeyBytes)).toString('hex')}\n`);
    await file.sync();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  return readPrivateFile(path);
}

/** Parses one key per line, 64 hex digits. The first one seals. */
export function parseSecretKeys(text: string): [Uint8Array, ...Uint8Array[]] {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const keys = lines.map((line, index) => {
    // The line is not repeated: it may be a key with one letter too many.
    if (!/^[0-9a-fA-F]{64}$/.test(line)) throw new Error(`line ${index + 1} is not a key of 64 hex digits`);
    return Buffer.from(line, 'hex');
  });
  const [first, ...others] = keys;
  if (first === undefined) throw new Error('no key found; write 64 random hex digits');
  if (keys.length > controlPlaneLimits.secretKeysMax)
    throw new Error(`${keys.length} keys; at most ${controlPlaneLimits.secretKeysMax}`);
  return [first, ...others];
}

function boxOf(text: string, randomBytes: (count: number) => Uint8Array): SecretBox {
  return createSecretBox(parseSecretKeys(text), randomBytes);
}
