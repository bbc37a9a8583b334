/**
 * What the cluster can do beyond what versions of APIs say: clients look here before they use it. Everything is switched on for
 * the whole cluster, since one release of it is one agreement.
 */
export const features = {
  /** 1: consumer groups of the new protocol (KIP-848). */
  'group.version': { min: 0, max: 1, level: 1 },
  /** 1: share groups (KIP-932). */
  'share.version': { min: 0, max: 1, level: 1 },
  /** 2: every transaction has an epoch of its own, and partitions and groups join it by themselves (KIP-890). */
  'transaction.version': { min: 0, max: 2, level: 2 },
} as const satisfies Record<string, Feature>;

interface Feature {
  /** The range of levels that this release knows. */
  readonly min: number;
  readonly max: number;
  /** The one that counts. */
  readonly level: number;
}

/** Rises when a level does, in a release to come; it must never go down, or clients ignore what they are told. */
export const featuresEpoch = 1n;

/** A minimum of 0 means a feature that can be off, which clients before ApiVersions v4 take for a mistake. */
const zeroMinimumFromVersion = 4;

export function supportedFeatures(apiVersion: number) {
  return Object.entries<Feature>(features)
    .filter(([, { min }]) => min > 0 || apiVersion >= zeroMinimumFromVersion)
    .map(([name, { min, max }]) => ({ name, minVersion: min, maxVersion: max }));
}

export function finalizedFeatures() {
  return Object.entries<Feature>(features).map(([name, { level }]) => ({
    name,
    maxVersionLevel: level,
    minVersionLevel: level,
  }));
}
