import { createHash, timingSafeEqual } from 'node:crypto';
import { isKeySecret } from './accounts/secrets/secrets.ts';

/** An agent key as it is stored: its hash, never the key. */
interface AgentKey {
  /** `akn_…` */
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits. */
  readonly keyHash: string;
  /** The virtual cluster of the key. */
  readonly clusterId: string;
}

/**
 * Whether a key grants access to a cluster. `undefined`: this process cannot decide yet; another process, or a retry,
 * may.
 */
export type Verdict = boolean | undefined;

export type Authorize = (
  clusterId: string,
  key: string,
  remoteAddress?: string,
) => Verdict | Promise<Verdict>;

/**
 * Admits a key if any of the authorizers does. They are asked in turn and not beyond the first that admits it: later
 * ones may cost a query, which counts towards the limit of unknown keys of an address.
 */
export function authorizeByAny(...all: readonly Authorize[]): Authorize {
  return async (...args) => {
    let isUndecided = false;
    for (const authorize of all) {
      const verdict = await authorize(...args);
      if (verdict === true) return true;
      if (verdict === undefined) isUndecided = true;
    }
    return isUndecided ? undefined : false;
  };
}

/**
 * Admits keys of a list. Every key of the list is compared, each in constant time, so that timing reveals nothing about
 * them.
 */
export function authorizeByAgentKeys(agentKeys: readonly AgentKey[]): Authorize {
  const rows = agentKeys.map(({ name, keyHash, clusterId }) => {
    const hash = Buffer.from(keyHash, 'hex');
    if (hash.length !== 32)
      throw new TypeError(`${name}: keyHash is not the SHA-256 of a key in 64 hex digits`);
    return { hash, clusterId };
  });
  return (clusterId, key) => {
    if (!isKeySecret(key)) return false;
    const hash = createHash('sha256').update(key).digest();
    let isAdmitted = false;
    for (const row of rows) {
      const isSame = timingSafeEqual(row.hash, hash);
      if (isSame && row.clusterId === clusterId) isAdmitted = true;
    }
    return isAdmitted;
  };
}
