import {
  type ApiName,
  batchRecords,
  buildRecordBatch,
  type ErrorName,
  errorByCode,
  type RecordBatchView,
  readControlRecord,
  recordBatches,
} from '@weir/wire';
import { record } from './data-path.ts';
import type { ServedAgent } from './leader-agent.ts';
import { answered, type RequestBody, type ResponseBody } from './test-agent-server.ts';

/**
 * Versions of two generations of producers. `bumping` ones have an epoch for every transaction and announce no
 * partitions.
 */
export const protocols = {
  announcing: {
    InitProducerId: 4,
    Produce: 11,
    AddPartitionsToTxn: 3,
    AddOffsetsToTxn: 3,
    TxnOffsetCommit: 4,
    EndTxn: 4,
  },
  bumping: {
    InitProducerId: 5,
    Produce: 12,
    AddPartitionsToTxn: 3,
    AddOffsetsToTxn: 4,
    TxnOffsetCommit: 5,
    EndTxn: 5,
  },
} as const satisfies Record<string, Partial<Record<ApiName, number>>>;

export type Protocol = keyof typeof protocols;

type CalledApi = keyof (typeof protocols)['bumping'];

export function errorName(code: number): ErrorName {
  return errorByCode(code)!.name;
}

/** A transactional producer that sends what a test says, on a connection of its own. */
export class TransactionalProducer {
  producerId = -1n;
  producerEpoch = -1;
  readonly transactionalId: string;
  readonly #agent: ServedAgent;
  readonly #protocol: Protocol;
  readonly #versions: Readonly<Record<CalledApi, number>>;
  readonly #sequences = new Map<string, number>();
  #connection = new AbortController();

  constructor(agent: ServedAgent, transactionalId: string, protocol: Protocol) {
    this.#agent = agent;
    this.transactionalId = transactionalId;
    this.#protocol = protocol;
    this.#versions = protocols[protocol];
  }

  /** Continues over another connection. */
  reconnect(): void {
    this.#connection = new AbortController();
  }

  /** Returns the same producer over another connection, to this agent or another one. */
  onOtherConnection(agent: ServedAgent = this.#agent): TransactionalProducer {
    const other = new TransactionalProducer(agent, this.transactionalId, this.#protocol);
    other.producerId = this.producerId;
    other.producerEpoch = this.producerEpoch;
    return other;
  }

  disconnect(): void {
    this.#connection.abort();
  }

  async init(transactionTimeoutMs = 60_000): Promise<ErrorName> {
    const { transactionalId, producerId, producerEpoch } = this;
    const request = { transactionalId, transactionTimeoutMs, producerId, producerEpoch };
    const answer = await this.#call('InitProducerId', request);
    if (answer.errorCode === 0) this.#adoptProducer(answer);
    return errorName(answer.errorCode);
  }

  async addPartitions(topic: string, ...partitions: number[]): Promise<ErrorName[]> {
    const { resultsByTopicV3AndBelow } = await this.#call('AddPartitionsToTxn', {
      v3AndBelowTransactionalId: this.transactionalId,
      v3AndBelowProducerId: this.producerId,
      v3AndBelowProducerEpoch: this.producerEpoch,
      v3AndBelowTopics: [{ name: topic, partitions }],
    });
    return resultsByTopicV3AndBelow[0]!.resultsByPartition.map(({ partitionErrorCode }) =>
      errorName(partitionErrorCode),
    );
  }

  async send(topic: string, partition: number, ...values: string[]): Promise<ErrorName> {
    const key = `${topic}/${partition}`;
    const baseSequence = this.#sequences.get(key) ?? 0;
    const records = buildRecordBatch(
      values.map((value) => record(value)),
      {
        producerId: this.producerId,
        producerEpoch: this.producerEpoch,
        baseSequence,
        isTransactional: true,
      },
    );
    const { responses } = await this.#call('Produce', {
      transactionalId: this.transactionalId,
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: topic, partitionData: [{ index: partition, records: [records] }] }],
    });
    const error = errorName(responses[0]!.partitionResponses[0]!.errorCode);
    if (error === 'NONE') this.#sequences.set(key, baseSequence + values.length);
    return error;
  }

  async addOffsets(groupId: string): Promise<ErrorName> {
    const { transactionalId, producerId, producerEpoch } = this;
    const request = { transactionalId, producerId, producerEpoch, groupId };
    return errorName((await this.#call('AddOffsetsToTxn', request)).errorCode);
  }

  async commitOffset(groupId: string, topic: string, committedOffset: bigint): Promise<ErrorName> {
    const { transactionalId, producerId, producerEpoch } = this;
    const { topics } = await this.#call('TxnOffsetCommit', {
      transactionalId,
      groupId,
      producerId,
      producerEpoch,
      topics: [
        { name: topic, partitions: [{ partitionIndex: 0, committedOffset, committedMetadata: null }] },
      ],
    });
    return errorName(topics[0]!.partitions[0]!.errorCode);
  }

  /** Commits or aborts. A producer of the bumping protocol continues with the epoch of the answer. */
  async end(committed: boolean): Promise<ErrorName> {
    const { transactionalId, producerId, producerEpoch } = this;
    const answer = await this.#call('EndTxn', { transactionalId, producerId, producerEpoch, committed });
    if (answer.errorCode === 0 && this.#versions.EndTxn >= 5) this.#adoptProducer(answer);
    return errorName(answer.errorCode);
  }

  /** A new epoch restarts its sequences. */
  #adoptProducer({
    producerId,
    producerEpoch,
  }: {
    readonly producerId: bigint;
    readonly producerEpoch: number;
  }) {
    if (producerId !== this.producerId || producerEpoch !== this.producerEpoch) this.#sequences.clear();
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
  }

  async #call<Name extends CalledApi>(name: Name, body: RequestBody<Name>): Promise<ResponseBody<Name>> {
    const { signal } = this.#connection;
    return answered(await this.#agent.call(name, this.#versions[name], body, 'test', signal));
  }
}

export interface Reading {
  /** The values that an application sees. */
  readonly values: readonly string[];
  /** The transaction markers among the batches. */
  readonly markers: readonly string[];
  readonly batches: readonly RecordBatchView[];
  readonly error: ErrorName;
  readonly highWatermark: bigint;
  readonly lastStableOffset: bigint;
  readonly aborted: readonly (readonly [producerId: bigint, firstOffset: bigint])[] | null;
}

export interface ReadOptions {
  readonly committed: boolean;
  readonly partition?: number;
  readonly offset?: bigint;
  readonly version?: number;
  readonly maxWaitMs?: number;
  readonly bytesMax?: number;
}

/** Runs one fetch, as a consumer reads it: control batches are skipped, and so are those of aborted transactions. */
export async function fetchOnce(agent: ServedAgent, topic: string, options: ReadOptions): Promise<Reading> {
  const { committed, partition = 0, offset = 0n, version = 12, maxWaitMs = 0, bytesMax = 1 << 20 } = options;
  const topicId = agent.view.topicByName(topic)!.topicId;
  const fetched = answered(
    await agent.call('Fetch', version, {
      maxWaitMs,
      minBytes: 1,
      maxBytes: bytesMax,
      isolationLevel: committed ? 1 : 0,
      topics: [
        {
          topic,
          topicId,
          partitions: [{ partition, fetchOffset: offset, partitionMaxBytes: bytesMax }],
        },
      ],
    }),
  );
  const answer = fetched.responses[0]!.partitions[0]!;
  const batches = [...recordBatches(answer.records ?? Buffer.alloc(0), { partialTail: 'error' })];
  const aborted = answer.abortedTransactions?.map(
    ({ producerId, firstOffset }) => [producerId, firstOffset] as const,
  );
  return {
    ...read(batches, offset, aborted ?? []),
    batches,
    error: errorName(answer.errorCode),
    highWatermark: answer.highWatermark,
    lastStableOffset: answer.lastStableOffset,
    aborted: aborted ?? null,
  };
}

/** Reads a whole partition with several fetches, until there are no more batches. */
export async function readAll(
  agent: ServedAgent,
  topic: string,
  options: ReadOptions,
): Promise<readonly string[]> {
  const values: string[] = [];
  let offset = options.offset ?? 0n;
  for (;;) {
    const reading = await fetchOnce(agent, topic, { ...options, offset });
    const last = reading.batches.at(-1);
    if (last === undefined) return values;
    values.push(...reading.values);
    offset = last.baseOffset + BigInt(last.lastOffsetDelta) + 1n;
  }
}

function read(
  batches: readonly RecordBatchView[],
  fromOffset: bigint,
  aborted: NonNullable<Reading['aborted']>,
): { readonly values: string[]; readonly markers: string[] } {
  const values: string[] = [];
  const markers: string[] = [];
  const waiting = [...aborted];
  const abortedProducers = new Set<bigint>();
  for (const batch of batches) {
    const lastOffset = batch.baseOffset + BigInt(batch.lastOffsetDelta);
    while (waiting.length > 0 && waiting[0]![1] <= lastOffset) abortedProducers.add(waiting.shift()![0]);
    if (batch.isControl) {
      const control = readControlRecord(batch);
      if (control.kind !== 'endTransaction') throw new Error(`a control record of type ${control.type}`);
      if (control.result === 'abort') abortedProducers.delete(batch.producerId);
      markers.push(`${control.result} at ${batch.baseOffset} by epoch ${batch.producerEpoch}`);
    } else if (!(batch.isTransactional && abortedProducers.has(batch.producerId))) {
      for (const { offset, value } of batchRecords(batch)) {
        if (offset >= fromOffset) values.push(String(value));
      }
    }
  }
  return { values, markers };
}
