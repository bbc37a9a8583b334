import { MiB } from '@weir/core';
import { partitionOfKey } from '@weir/wire';
import type { KafkaCluster } from '../kafka/cluster.ts';
import { type ProduceOptions, produceRecords, type RecordToProduce } from '../kafka/produce.ts';
import { findTopic } from '../kafka/topics.ts';

/** A record that a broker has acknowledged. With acks 0 the offset is -1, because the broker sends none. */
export interface WrittenRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly value: Buffer;
}

export interface AppendOptions extends ProduceOptions {
  readonly topicName: string;
  readonly key: string | undefined;
  /** If set, all records go to this partition. */
  readonly partition: number | undefined;
}

/**
 * A request holds at most this much, except for a single record that is larger. By default brokers reject batches above
 * 1 MiB.
 */
const requestBytesMax = 0.75 * MiB;
const requestRecordsMax = 10_000;

/**
 * Writes groups of records and yields after each request what was written. If some partitions of a request failed, the
 * records of the others are yielded first, and then the failure is thrown.
 */
export async function* appendValues(
  cluster: KafkaCluster,
  groups: AsyncIterable<readonly Buffer[]> | Iterable<readonly Buffer[]>,
  { topicName, key, partition, ...options }: AppendOptions,
): AsyncGenerator<readonly WrittenRecord[], void, undefined> {
  // A producer may auto-create the topic; the cluster decides whether it allows that.
  const { topic } = await cluster.retrying(() => findTopic(cluster, topicName, { mayCreate: true }));
  const partitionCount = topic.partitions.length;
  const keyBytes = key === undefined ? null : Buffer.from(key);
  let turn = 0;
  function partitionOfNext(): number {
    if (partition !== undefined) return partition;
    return keyBytes === null ? turn++ % partitionCount : partitionOfKey(keyBytes, partitionCount);
  }

  for await (const group of groups) {
    for (const values of requestsOf(group)) {
      const placed = values.map((value) => ({ value, partition: partitionOfNext() }));
      const byPartition = new Map<number, RecordToProduce[]>();
      for (const { value, partition: index } of placed) {
        const records = byPartition.get(index) ?? [];
        records.push({ key: keyBytes, value });
        byPartition.set(index, records);
      }
      const { answers, failures } = await produceRecords(cluster, topicName, byPartition, options);
      const next = new Map(answers);
      const written: WrittenRecord[] = [];
      for (const { value, partition: index } of placed) {
        const offset = next.get(index);
        if (offset === undefined) continue;
        if (offset >= 0n) next.set(index, offset + 1n);
        written.push({ partition: index, offset, value });
      }
      if (written.length > 0) yield written;
      const [failure] = failures.values();
      if (failure !== undefined) throw failure;
    }
  }
}

/** Splits a group where a request would become too large. */
function* requestsOf(group: readonly Buffer[]): Generator<readonly Buffer[], void, undefined> {
  let values: Buffer[] = [];
  let bytes = 0;
  for (const value of group) {
    const isFull = bytes + value.length > requestBytesMax || values.length >= requestRecordsMax;
    if (isFull && values.length > 0) {
      yield values;
      values = [];
      bytes = 0;
    }
    values.push(value);
    bytes += value.length;
  }
  if (values.length > 0) yield values;
}
