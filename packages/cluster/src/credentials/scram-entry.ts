import type { ScramCredential } from '../calls/principal-calls.ts';

/**
 * SCRAM credentials are key-value entries keyed by username. SCRAM-SHA-512 is the only mechanism; another one would get
 * its own namespace.
 */

/** Reads the entry of a user: iterations, then salt and the two keys, each in base64. */
export function readScramCredential(value: Uint8Array): ScramCredential {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const [iterations, ...secrets] = JSON.parse(text) as [number, string, string, string];
  const [salt, storedKey, serverKey] = secrets.map((secret) => Buffer.from(secret, 'base64'));
  return { iterations, salt: salt!, storedKey: storedKey!, serverKey: serverKey! };
}

export function writeScramCredential({ iterations, salt, storedKey, serverKey }: ScramCredential): Buffer {
  const secrets = [salt, storedKey, serverKey].map((secret) => Buffer.from(secret).toString('base64'));
  return Buffer.from(JSON.stringify([iterations, ...secrets]));
}
