import { type ConfigTexts, topicConfigValue } from '@weir/cluster';

/** What the auto-scaler may do with a topic. */
interface GrowthRule {
  /** For one partition, before compression. */
  readonly targetBytesPerSecond: number;
  readonly partitionCountMax: number;
}

/** What was measured since the last look. */
interface Throughput {
  readonly partitionCount: number;
  readonly bytesPerSecond: number;
}

/** A topic that has been above its target at every look since some time. */
export interface Overload {
  readonly looks: number;
  readonly partitionCount: number;
  /** The least that was measured: what the topic needs all the time. */
  readonly lowestBytesPerSecond: number;
}

/** A look every minute, and the target exceeded for a quarter of an hour without a break. */
export const lookIntervalMs = 60_000;
const looksUntilGrowth = 15;

/**
 * One look at a topic: how long it has been above its target, and the partition count that it gets now if it has been for long
 * enough. It only ever grows, to as many partitions as the lowest throughput of that time needs. Afterwards, and
 * whenever somebody else changed the count, the time begins anew.
 */
export function look(
  before: Overload | undefined,
  { partitionCount, bytesPerSecond }: Throughput,
  { targetBytesPerSecond, partitionCountMax }: GrowthRule,
): { readonly overload: Overload | undefined; readonly growTo: number | undefined } {
  const isOver = bytesPerSecond > targetBytesPerSecond * partitionCount;
  if (!isOver || partitionCount >= partitionCountMax) return { overload: undefined, growTo: undefined };
  const known = before?.partitionCount === partitionCount ? before : undefined;
  const looks = (known?.looks ?? 0) + 1;
  const lowestBytesPerSecond = Math.min(known?.lowestBytesPerSecond ?? bytesPerSecond, bytesPerSecond);
  if (looks < looksUntilGrowth) {
    return { overload: { looks, partitionCount, lowestBytesPerSecond }, growTo: undefined };
  }
  const needed = Math.ceil(lowestBytesPerSecond / targetBytesPerSecond);
  return { overload: undefined, growTo: Math.min(needed, partitionCountMax) };
}

/**
 * The rule of a topic, or `undefined` when it is to be left alone. With more partitions the records of a key lie in two of them,
 * which a compacted topic does not bear, so that for one the cluster's word is not enough.
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
