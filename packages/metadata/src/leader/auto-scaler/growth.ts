import { type ConfigTexts, topicConfigValue } from '@weir/cluster';

/** The growth limits of a topic. */
interface GrowthRule {
  /** Per partition, before compression. */
  readonly targetBytesPerSecond: number;
  readonly partitionCountMax: number;
}

/** The measurement since the last check. */
interface Throughput {
  readonly partitionCount: number;
  readonly bytesPerSecond: number;
}

/** A topic that has been above its target at several consecutive checks. */
export interface Overload {
  readonly checks: number;
  readonly partitionCount: number;
  /** The lowest measurement: the permanent need of the topic. */
  readonly lowestBytesPerSecond: number;
}

/** One check per minute; the target must be exceeded for a quarter of an hour without a break. */
export const checkIntervalMs = 60_000;
const checksUntilGrowth = 15;

/**
 * Checks a topic once: returns how long it has been above its target, and the new partition count if that was long
 * enough. The count only grows, to as many partitions as the lowest throughput of that time needs. Afterwards, and
 * whenever the count was changed otherwise, the time starts again.
 */
export function checkGrowth(
  before: Overload | undefined,
  { partitionCount, bytesPerSecond }: Throughput,
  { targetBytesPerSecond, partitionCountMax }: GrowthRule,
): { readonly overload: Overload | undefined; readonly growTo: number | undefined } {
  const isOver = bytesPerSecond > targetBytesPerSecond * partitionCount;
  if (!isOver || partitionCount >= partitionCountMax) return { overload: undefined, growTo: undefined };
  const known = before?.partitionCount === partitionCount ? before : undefined;
  const checks = (known?.checks ?? 0) + 1;
  const lowestBytesPerSecond = Math.min(known?.lowestBytesPerSecond ?? bytesPerSecond, bytesPerSecond);
  if (checks < checksUntilGrowth) {
    return { overload: { checks, partitionCount, lowestBytesPerSecond }, growTo: undefined };
  }
  const needed = Math.ceil(lowestBytesPerSecond / targetBytesPerSecond);
  return { overload: undefined, growTo: Math.min(needed, partitionCountMax) };
}

/**
 * The growth rule of a topic, or `undefined` if it must not grow. New partitions move keys to other partitions, which
 * breaks a compacted topic, so such a topic needs its own config; that of the cluster is not enough.
 */
export function growthRuleOf(
  topicTexts: ConfigTexts,
  clusterTexts: ConfigTexts,
  partitionsPerTopicMax: number,
): GrowthRule | undefined {
  const read = <
    Name extends `service.partitions_auto_scaler.${string}` & Parameters<typeof topicConfigValue>[0],
  >(
    name: Name,
  ) => topicConfigValue(name, topicTexts, clusterTexts);
  if (!read('service.partitions_auto_scaler.enabled')) return undefined;
  const isCompacted = topicConfigValue('cleanup.policy', topicTexts, clusterTexts).includes('compact');
  if (isCompacted && !Object.hasOwn(topicTexts, 'service.partitions_auto_scaler.enabled')) return undefined;
  const targetBytesPerSecond = read(
    'service.partitions_auto_scaler.per_partition_throughput_uncompressed_bytes_per_second',
  );
  if (targetBytesPerSecond === undefined) return undefined;
  const partitionCountMax = read('service.partitions_auto_scaler.max_partition_count');
  return {
    targetBytesPerSecond,
    partitionCountMax: Math.min(partitionCountMax ?? partitionsPerTopicMax, partitionsPerTopicMax),
  };
}
