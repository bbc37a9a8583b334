/**
 * Features of the cluster beyond API versions, which clients check before they use them. All are enabled for the whole
 * cluster, since a release has fixed levels.
 */
export const features = {
  /** 1: consumer groups of the new protocol (KIP-848). */
  'group.version': { min: 0, max: 1, level: 1 },
  /**
   * 30: Kafka 4.3. Agents have no metadata log that it could be about; tools such as kafka-features show it, and
   * recognise the generation of the cluster by it.
   */
  'metadata.version': { min: 7, max: 30, level: 30 },
  /** 1: share groups (KIP-932). */
  'share.version': { min: 0, max: 1, level: 1 },
  /** 1: streams groups (KIP-1071). */
  'streams.version': { min: 0, max: 1, level: 1 },
  /** 2: every transaction has its own epoch, and partitions and groups join it implicitly (KIP-890). */
  'transaction.version': { min: 0, max: 2, level: 2 },
} as const satisfies Record<string, Feature>;

interface Feature {
  /** The range of levels that this release supports. */
  readonly min: number;
  readonly max: number;
  /** The finalized level. */
  readonly level: number;
}

/** Must rise when a level does in a later release; it must never go down, or clients ignore the update. */
export const featuresEpoch = 1n;

/** A minimum of 0 means that a feature can be off, which clients before ApiVersions v4 reject. */
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
