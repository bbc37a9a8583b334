import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { ScramCredential } from '../calls/principal-calls.ts';

/** The stored form of a password by RFC 5802 and RFC 7677, for SHA-512. */

const derive = promisify(pbkdf2);

const hashName = 'sha512';
const hashBytes = 64;
const saltBytes = 32;
/** Twice the minimum of the RFC; every client computes it within some milliseconds. */
export const scramIterations = 8192;

/** Returns the stored form of a new password. The random source must be cryptographically secure. */
export function newScramCredential(
  password: string,
  randomBytes: (count: number) => Uint8Array,
): Promise<ScramCredential> {
  return scramCredentialOf(password, randomBytes(saltBytes), scramIterations);
}

/** Derives the keys of a password with this salt, off the event loop. */
export async function scramCredentialOf(
  password: string,
  salt: Uint8Array,
  iterations: number,
): Promise<ScramCredential> {
  const salted = await derive(password, salt, iterations, hashBytes, hashName);
  const mac = (text: string) => createHmac(hashName, salted).update(text).digest();
  const storedKey = createHash(hashName).update(mac('Client Key')).digest();
  return { iterations, salt, storedKey, serverKey: mac('Server Key') };
}

/** Returns whether this is the current password, in constant time. */
export async function isPasswordOf(password: string, credential: ScramCredential): Promise<boolean> {
  return (await matchingPassword(password, credential)) === 'current';
}

/** Returns which of the two passwords this is, in constant time. One derivation is enough, as they share the salt. */
export async function matchingPassword(
  password: string,
  { salt, iterations, storedKey, serverKey }: ScramCredential,
  old?: ScramKeys,
): Promise<'current' | 'old' | undefined> {
  const derived = await scramCredentialOf(password, salt, iterations);
  const isCurrent = hasKeys(derived, { storedKey, serverKey });
  const isOld = old !== undefined && hasKeys(derived, old);
  if (isCurrent) return 'current';
  return isOld ? 'old' : undefined;
}

type ScramKeys = Pick<ScramCredential, 'storedKey' | 'serverKey'>;

function hasKeys(derived: ScramKeys, keys: ScramKeys): boolean {
  const isStored = isSame(derived.storedKey, keys.storedKey);
  const isServer = isSame(derived.serverKey, keys.serverKey);
  return isStored && isServer;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
