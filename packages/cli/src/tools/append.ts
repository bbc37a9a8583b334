import type { KafkaCluster } from '@weir/client';
import { findTopic, type ProduceOptions, produceRecords, type RecordToProduce } from '@weir/client';
import { MiB } from '@weir/core';
import { partitionOfKey } from '@weir/wire';

/** Where a broker has stored a record. With acks 0 the offset is -1, because the broker sends none. */
interface Place {
  readonly partition: number;
  readonly offset: bigint;
}

/** A value that a broker has acknowledged. */
export interface WrittenRecord extends Place {
  readonly value: Buffer;
}

interface AppendOptions extends ProduceOptions {
  readonly topicName: string;
  /** If set, all records go to this partition. */
  readonly partition: number | undefined;
}

type Groups<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/**
 * A request holds at most this much, except for a single record that is larger. By default brokers reject batches above
 * 1 MiB.
 */
const requestBytesMax = 0.75 * MiB;
const requestRecordsMax = 10_000;

/** Writes groups of values, all with the same key. */
export async function* appendValues(
  cluster: KafkaCluster,
  groups: Groups<Buffer>,
  { key, ...options }: AppendOptions & { readonly key: string | undefined },
): AsyncGenerator<readonly WrittenRecord[], void, undefined> {
  const keyBytes = key === undefined ? null : Buffer.from(key);
  for await (const written of appendRecords(cluster, recordsOf(groups, keyBytes), options))
    yield written.map(({ partition, offset, record: { value } }) => ({ partition, offset, value }));
}

async function* recordsOf(groups: Groups<Buffer>, key: Buffer | null) {
  for await (const values of groups) yield values.map((value) => ({ key, value }));
}

/**
 * Writes groups of records and yields after each request what was written. If some partitions of a request failed, the
 * records of the others are yielded first, and then the failure is thrown.
 */
export async function* appendRecords<Item extends RecordToProduce>(
  cluster: KafkaCluster,
  groups: Groups<Item>,
  { topicName, partition, ...options }: AppendOptions,
): AsyncGenerator<readonly (Place & { readonly record: Item })[], void, undefined> {
  let partitionCount = 0;
  let turn = 0;
  function partitionOf({ key }: RecordToProduce): number {
    if (partition !== undefined) return partition;
    return key === null ? turn++ % partitionCount : partitionOfKey(key, partitionCount);
  }

  for await (const group of groups) {
    if (group.length > 0 && partitionCount === 0) {
      // A producer may auto-create the topic; the cluster decides whether it allows that. Empty input creates none.
      const { topic } = await cluster.retrying(() => findTopic(cluster, topicName, { mayCreate: true }));
      partitionCount = topic.partitions.length;
    }
    for (const records of requestsOf(group)) {
      const placed = records.map((record) => ({ record, partition: partitionOf(record) }));
      const byPartition = new Map<number, RecordToProduce[]>();
      for (const { record, partition: index } of placed) {
        const ofPartition = byPartition.get(index) ?? [];
        ofPartition.push(record);
        byPartition.set(index, ofPartition);
      }
      const { answers, failures } = await produceRecords(cluster, topicName, byPartition, options);
      const next = new Map(answers);
      const written: (Place & { readonly record: Item })[] = [];
      for (const { record, partition: index } of placed) {
        const offset = next.get(index);
        if (offset === undefined) continue;
        if (offset >= 0n) next.set(index, offset + 1n);
        written.push({ partition: index, offset, record });
      }
      if (written.length > 0) yield written;
      const [failure] = failures.values();
      if (failure !== undefined) throw failure;
    }
  }
}

/** Splits a group where a request would become too large. */
function* requestsOf<Item extends RecordToProduce>(
  group: readonly Item[],
): Generator<readonly Item[], void, undefined> {
  let records: Item[] = [];
  let bytes = 0;
  for (const record of group) {
    const recordBytes = sizeOf(record);
    const isFull = bytes + recordBytes > requestBytesMax || records.length >= requestRecordsMax;
    if (isFull && records.length > 0) {
      yield records;
      records = [];
      bytes = 0;
    }
    records.push(record);
    bytes += recordBytes;
  }
  if (records.length > 0) yield records;
}

/** The bytes of keys and values; what frames them is small against the limit. */
function sizeOf({ key, value, headers = [] }: RecordToProduce): number {
  const headerBytes = headers.reduce(
    (sum, header) => sum + header.key.length + (header.value?.length ?? 0),
    0,
  );
  return (key?.length ?? 0) + (value?.length ?? 0) + headerBytes;
}
