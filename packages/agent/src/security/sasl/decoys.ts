import { createHmac } from 'node:crypto';
import { type ScramCredential, scramIterations } from '@weir/cluster';

/** As long as the salts that the cluster makes for those who exist. */
const saltBytes = 32;

/**
 * Credentials of users that do not exist. Each looks like any other, is the same every time and at every agent, and fits no password:
 * otherwise anybody could find out by its salt, or by a login that costs less, who exists. `secret` is what only agents of the
 * cluster know.
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
