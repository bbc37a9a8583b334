import { type ApiName, buildRecordBatch, type RecordBatchFields } from '@weir/wire';
import type { Pair } from '../pair.ts';

/** Requests in an order that means something. It is held once in each version of an API that both servers serve. */
export interface Dialogue {
  readonly name: string;
  readonly api: ApiName;
  run(pair: Pair): Promise<void>;
}

/** A batch of records of these values. */
export function batchOf(
  { recordTimeMs }: Pair,
  values: readonly (string | null)[],
  fields: RecordBatchFields = {},
): Buffer {
  return buildRecordBatch(
    values.map((value, index) => ({
      timestamp: recordTimeMs + BigInt(index),
      key: value === null ? Buffer.from('key') : Buffer.from(`key ${value}`),
      value: value === null ? null : Buffer.from(value),
      headers: [{ key: 'header', value: Buffer.from('text') }],
    })),
    fields,
  );
}

export interface ToProduce {
  readonly topic: string;
  readonly records: Buffer | null;
  readonly partition?: number;
  readonly acks?: number;
  readonly transactionalId?: string;
}

/** Writes to one partition. */
export function produce(
  pair: Pair,
  { topic, records, partition = 0, acks = -1, transactionalId }: ToProduce,
) {
  return pair.ask('Produce', (side, version) => ({
    transactionalId: transactionalId ?? null,
    acks,
    timeoutMs: 10_000,
    topicData: [
      {
        ...(version < 13 ? { name: topic } : { topicId: side.topicId(topic) }),
        partitionData: [{ index: partition, records }],
      },
    ],
  }));
}

interface ToFetch {
  readonly topic: string;
  readonly offset?: bigint;
  readonly partition?: number;
  readonly isolationLevel?: number;
  readonly maxBytes?: number;
}

/** Reads from one partition, outside of a session. */
export function fetch(
  pair: Pair,
  { topic, offset = 0n, partition = 0, isolationLevel = 0, maxBytes = 1_000_000 }: ToFetch,
) {
  return pair.ask('Fetch', (side, version) => ({
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes,
    isolationLevel,
    topics: [
      {
        ...(version < 13 ? { topic } : { topicId: side.topicId(topic) }),
        partitions: [{ partition, fetchOffset: offset, partitionMaxBytes: maxBytes }],
      },
    ],
    ...(version >= 7 && { forgottenTopicsData: [] }),
  }));
}
