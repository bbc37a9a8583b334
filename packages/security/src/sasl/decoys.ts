import { createHmac } from 'node:crypto';
import { type ScramCredential, scramIterations } from '@weir/cluster';

/** Same length as the salts that the cluster generates for real users. */
const saltBytes = 32;

/**
 * Returns credentials of users that do not exist. They look like real ones, are the same every time and on every agent,
 * and match no password: otherwise a client could find out from the salt, or from a faster login, which users exist.
 * `secret` is known only to agents of the cluster.
 */
export function decoysFrom(secret: () => Uint8Array): (user: string) => ScramCredential {
  return (user) => {
    const derived = (use: string) => createHmac('sha512', secret()).update(`${use}\0${user}`).digest();
    return {
      iterations: scramIterations,
      salt: derived('salt').subarray(0, saltBytes),
      storedKey: derived('stored key'),
      serverKey: derived('server key'),
    };
  };
}
