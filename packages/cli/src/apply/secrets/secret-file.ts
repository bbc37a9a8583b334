import { type FileHandle, open, unlink } from 'node:fs/promises';
import { controlPlaneLimits } from '@weir/controlplane/limits';
import { Failure } from '../../failure.ts';

/** Only its owner may read a file with a secret. */
const privateMode = 0o600;
/** Who else must not be let in: anybody, but that a group may read, which is how secrets are mounted. */
const forbiddenMode = 0o027;

/** The secret in a file, or `undefined` when there is no such file or nothing in it. */
export async function readSecretFile(path: string): Promise<string | undefined> {
  const file = await orFailure(path, openIfThere(path, 'r'));
  if (file === undefined) return undefined;
  try {
    const { mode, size } = await file.stat();
    if ((mode & forbiddenMode) !== 0) {
      const found = (mode & 0o777).toString(8).padStart(4, '0');
      throw new Failure(`${path} has mode ${found}, which lets in too many; chmod it to 0600`);
    }
    if (size > controlPlaneLimits.settingsFileBytesMax) {
      throw new Failure(`${path} has ${size} bytes, which is no secret`);
    }
    const text = (await file.readFile('utf8')).replace(/\r?\n$/, '');
    return text === '' ? undefined : text;
  } finally {
    await file.close();
  }
}

/** A private file that is there before its secret is, so that the secret has somewhere to go. */
export interface SecretRoom {
  keep(secret: string): Promise<void>;
  /** Removes the file: there will be no secret. */
  giveUp(): Promise<void>;
}

/** Makes the file, or takes one that is empty. */
export async function makeSecretRoom(path: string): Promise<SecretRoom> {
  if ((await readSecretFile(path)) !== undefined) throw new Failure(`${path} holds a secret already`);
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
    // It is told once, so that it has to outlive a machine that loses its power.
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
