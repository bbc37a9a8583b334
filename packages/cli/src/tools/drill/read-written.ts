import { allAnswers, type KafkaCluster, offsetRanges, readRecords } from '@weir/client';
import type { WrittenRecords } from './written-records.ts';

interface ReadOptions {
  readonly topicName: string;
  /** What is before the number in the value of each record of the drill. */
  readonly prefix: string;
  /** Where the drill began. */
  readonly from: ReadonlyMap<number, bigint>;
  readonly written: WrittenRecords;
  /** How long to wait for what was acknowledged. */
  readonly patienceMs: number;
}

/**
 * Reads until all that was acknowledged is there, which takes a while in lightning topics, and then to the end of each
 * partition: second copies, and records that were not acknowledged, may be behind the last that is waited for.
 */
export async function readWritten(
  cluster: KafkaCluster,
  { topicName, prefix, from, written, patienceMs }: ReadOptions,
): Promise<void> {
  const positions = new Map(from);
  const readOn = async (waitMs: number, isEnough: () => boolean) => {
    if (cluster.stop.aborted) return;
    const ends = allAnswers(await offsetRanges(cluster, topicName, [...from.keys()]));
    const enough = new AbortController();
    const places = [...positions].map(
      ([partition, offset]) => [partition, { offset, end: ends.get(partition)!.latest }] as const,
    );
    const records = readRecords(cluster, {
      topicName,
      from: new Map(places),
      recordsMax: Number.POSITIVE_INFINITY,
      waitMs,
      until: enough.signal,
      progress: positions,
    });
    for await (const piece of records) {
      for (const { partition, value } of piece) {
        const text = value === null ? '' : Buffer.from(value).toString();
        if (text.startsWith(prefix)) written.read(partition, Number(text.slice(prefix.length)));
      }
      if (isEnough()) enough.abort();
    }
  };
  if (written.missing > 0) await readOn(patienceMs, () => written.missing === 0);
  await readOn(0, () => false);
}
