import type { Environment } from '@weir/core';
import { Failure } from '@weir/core';
import type { SecretPlace } from '../desired.ts';
import { makeSecretRoom, readSecretFile, type SecretRoom } from './secret-file.ts';

interface SecretKeeperOptions {
  readonly environment: Environment;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Prints a secret that has no file to go to, once. Must not go to the stream where results are printed. */
  readonly print: (line: string) => void;
}

/** Loads and stores secrets. */
export interface SecretKeeper {
  /** Why a password will not be available; called before anything is changed. */
  problemOf(place: SecretPlace): Promise<string | undefined>;
  /** The password for a credential. When this returns, a generated password is in its file or was printed. */
  passwordFor(what: string, place: SecretPlace): Promise<string>;
  /** A place for a secret that the API creates. */
  roomFor(what: string, place: SecretPlace): Promise<SecretRoom>;
}

/** As long as the passwords that the API generates. */
const passwordBytes = 32;
const passwordPrefix = 'ccp_';

export function createSecretKeeper({ environment, randomBytes, print }: SecretKeeperOptions): SecretKeeper {
  async function inFile(path: string): Promise<string> {
    // An existing file was written by an earlier run or by the user.
    const stored = await readSecretFile(path);
    if (stored !== undefined) return stored;
    const password = madeUp();
    const room = await makeSecretRoom(path);
    await room.keep(password);
    return password;
  }

  function madeUp(): string {
    return passwordPrefix + Buffer.from(randomBytes(passwordBytes)).toString('hex');
  }

  return {
    async problemOf(place) {
      if (place.kind === 'printed') return undefined;
      if (place.kind === 'variable')
        return environment[place.name] ? undefined : `the environment variable ${place.name} is not set`;
      try {
        await readSecretFile(place.path);
        return undefined;
      } catch (error) {
        if (error instanceof Failure) return error.message;
        throw error;
      }
    },

    async passwordFor(what, place) {
      if (place.kind === 'file') return await inFile(place.path);
      if (place.kind === 'variable') return environment[place.name] ?? '';
      const password = madeUp();
      print(`password of ${what}, shown only once: ${password}`);
      return password;
    },

    async roomFor(what, place) {
      if (place.kind === 'file') return await makeSecretRoom(place.path);
      return {
        keep: async (secret) => print(`secret of ${what}, shown only once: ${secret}`),
        giveUp: async () => {},
      };
    },
  };
}
