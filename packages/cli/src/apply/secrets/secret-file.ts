import { type FileHandle, open, unlink } from 'node:fs/promises';
import { controlPlaneLimits } from '@weir/controlplane/limits';
import { Failure } from '@weir/core';

/** Only the owner may read a file with a secret. */
const privateMode = 0o600;
/** Mode bits that make a secret file too open. Group read is allowed, because mounted secrets have it. */
const forbiddenMode = 0o027;

/** The secret in a file, or `undefined` if the file is missing or empty. */
export async function readSecretFile(path: string): Promise<string | undefined> {
  const file = await orFailure(path, openIfThere(path, 'r'));
  if (file === undefined) return undefined;
  try {
    const { mode, size } = await file.stat();
    if ((mode & forbiddenMode) !== 0) {
      const found = (mode & 0o777).toString(8).padStart(4, '0');
      throw new Failure(`${path} has mode ${found} and is readable by other users; run chmod 0600`);
    }
    if (size > controlPlaneLimits.settingsFileBytesMax) {
      throw new Failure(`${path} is not a secret: it has ${size} bytes`);
    }
    const text = (await file.readFile('utf8')).replace(/\r?\n$/, '');
    return text === '' ? undefined : text;
  } finally {
    await file.close();
  }
}

/** A private file that exists before its secret does, so that the secret can be stored as soon as it is known. */
export interface SecretRoom {
  keep(secret: string): Promise<void>;
  /** Removes the file, because there will be no secret. */
  giveUp(): Promise<void>;
}

/** Creates the file, or takes an empty one. */
export async function makeSecretRoom(path: string): Promise<SecretRoom> {
  if ((await readSecretFile(path)) !== undefined) throw new Failure(`${path} already contains a secret`);
  const file = await orFailure(path, open(path, 'a', privateMode));
  return {
    keep: (secret) => orFailure(path, writeAndClose(file, `${secret}\n`)),
    async giveUp() {
      await file.close();
      await unlink(path);
    },
  };
}

async function writeAndClose(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text);
    // The secret cannot be read again, so it must survive a power loss.
    await file.sync();
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string, flags: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function orFailure<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
