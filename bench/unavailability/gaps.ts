/** When a client got an acknowledgement or a record of a partition. */
export interface Progress {
  /** Client and kind, as `Java client, writes`. */
  readonly series: string;
  readonly partition: number;
  readonly atMs: number;
}

/** The worst of one fault for one series. */
export interface Outage {
  /** The longest time without progress of any partition of the topic. */
  readonly anyMs: number;
  /** That of the worst partition. */
  readonly worstPartitionMs: number;
}

/**
 * The outages that faults caused, by series, in the order of the faults. A gap belongs to the last fault before its
 * end, so that what the return of a process costs belongs to it, too.
 */
export function outagesOf(
  progress: readonly Progress[],
  faultsAtMs: readonly number[],
  endMs: number,
): ReadonlyMap<string, readonly Outage[]> {
  const bySeries = new Map<string, Map<number, number[]>>();
  for (const { series, partition, atMs } of progress) {
    const partitions = bySeries.get(series) ?? new Map<number, number[]>();
    bySeries.set(series, partitions);
    const times = partitions.get(partition) ?? [];
    partitions.set(partition, times);
    times.push(atMs);
  }
  const outages = new Map<string, readonly Outage[]>();
  for (const [series, partitions] of bySeries) {
    const ofPartitions = [...partitions.values()].map((times) => gapsOf(times, faultsAtMs, endMs));
    const any = gapsOf([...partitions.values()].flat(), faultsAtMs, endMs);
    outages.set(
      series,
      faultsAtMs.map((_, index) => ({
        anyMs: any[index]!,
        worstPartitionMs: Math.max(...ofPartitions.map((gaps) => gaps[index]!)),
      })),
    );
  }
  return outages;
}

/** The longest gap after each fault and before the next one, which may have begun earlier. */
function gapsOf(times: readonly number[], faultsAtMs: readonly number[], endMs: number): readonly number[] {
  const sorted = [...times].sort((a, b) => a - b);
  const worst = faultsAtMs.map(() => 0);
  let beforeMs: number | undefined;
  let fault = -1;
  for (const atMs of [...sorted.filter((time) => time < endMs), endMs]) {
    while (fault + 1 < faultsAtMs.length && faultsAtMs[fault + 1]! <= atMs) fault++;
    if (beforeMs !== undefined && fault >= 0) worst[fault] = Math.max(worst[fault]!, atMs - beforeMs);
    beforeMs = atMs;
  }
  return worst;
}

/** The nearest rank, so that of 50 outages the 99th percentile is the worst. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
