import { createHash, timingSafeEqual } from 'node:crypto';

/** A key of agents as it is stored: its hash, never the key. */
export interface AgentKey {
  /** `akn_…` */
  readonly name: string;
  /** SHA-256 of the key, 64 hex digits. */
  readonly keyHash: string;
  /** The virtual cluster that it opens. */
  readonly clusterId: string;
}

/** Says whether a key opens a cluster. `undefined`: this process cannot tell yet, and another or a later question may be answered. */
export type Authorize = (clusterId: string, key: string) => boolean | undefined;

/** Admits whoever one of them admits. */
export function authorizeByAny(...all: readonly Authorize[]): Authorize {
  return (clusterId, key) => {
    const verdicts = all.map((authorize) => authorize(clusterId, key));
    if (verdicts.includes(true)) return true;
    return verdicts.includes(undefined) ? undefined : false;
  };
}

const keyPattern = /^aks_[0-9a-f]{64}$/;

/** Makes a key, `aks_<64 hex>`, from a source of random bytes that is fit for secrets. It is shown once and not kept. */
export function generateAgentKey(randomBytes: (count: number) => Uint8Array): string {
  return `aks_${Buffer.from(randomBytes(32)).toString('hex')}`;
}

/**
 * The hash that is stored. A key has 256 random bits, so that there is nothing to guess and a slow hash would only slow
 * down agents.
 */
export function hashAgentKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Admits by a list of keys. Every key of the list is compared, and each in constant time, so that the time it takes tells
 * nothing of them.
 */
export function authorizeByAgentKeys(agentKeys: readonly AgentKey[]): Authorize {
  const rows = agentKeys.map(({ name, keyHash, clusterId }) => {
    const hash = Buffer.from(keyHash, 'hex');
    if (hash.length !== 32)
      throw new TypeError(`${name}: keyHash is not the SHA-256 of a key in 64 hex digits`);
    return { hash, clusterId };
  });
  return (clusterId, key) => {
    if (!keyPattern.test(key)) return false;
    const hash = createHash('sha256').update(key).digest();
    let isAdmitted = false;
    for (const row of rows) {
      const isSame = timingSafeEqual(row.hash, hash);
      if (isSame && row.clusterId === clusterId) isAdmitted = true;
    }
    return isAdmitted;
  };
}
