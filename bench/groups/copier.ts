import { type Clock, MiB, systemClock } from '@weir/core';
import {
  apis,
  batchRecords,
  buildRecordBatch,
  errorByCode,
  type RecordToWrite,
  recordBatches,
} from '@weir/wire';
import type { KafkaConnection } from '../../packages/client/src/connection.ts';
import { succeeded } from './answer.ts';

/** The last versions that identify topics by name. */
const lastVersions = { Fetch: 12, Produce: 12, OffsetCommit: 9 } as const;
const timeoutMs = 60_000;
/** Limit of Apache's producer. */
const inFlightMax = 5;
const readCommitted = 1;

interface CopyWork {
  readonly from: string;
  readonly to: string;
  readonly partitions: number;
  /** Records to copy from each partition. */
  readonly recordsPerPartition: number;
  readonly groupId: string;
  /** If set, output and offsets are written in transactions. */
  readonly transactionalId: string | null;
  /** Interval of offset commits, and so the length of a transaction. Kafka Streams uses 100 ms with exactly-once. */
  readonly commitIntervalMs: number;
}

/**
 * Copies a topic to another as a consume-process-produce application does: offsets are committed after the output is
 * written. The producer is idempotent in both modes, so that transactions are the only difference.
 */
export class Copier {
  readonly #reader: KafkaConnection;
  readonly #writer: KafkaConnection;
  readonly #work: CopyWork;
  readonly #clock: Clock;
  readonly #offsets: bigint[];
  readonly #sequences: number[];
  #producer = { producerId: -1n, producerEpoch: -1 };
  commits = 0;

  constructor(reader: KafkaConnection, writer: KafkaConnection, work: CopyWork, clock: Clock = systemClock) {
    this.#reader = reader;
    this.#writer = writer;
    this.#work = work;
    this.#clock = clock;
    this.#offsets = Array<bigint>(work.partitions).fill(0n);
    this.#sequences = Array<number>(work.partitions).fill(0);
  }

  async begin(): Promise<void> {
    const { transactionalId } = this.#work;
    const request = { transactionalId, transactionTimeoutMs: 60_000 };
    this.#goOn(
      succeeded('InitProducerId', await this.#writer.request(apis.InitProducerId, request, { timeoutMs })),
    );
  }

  async run(): Promise<void> {
    const { commitIntervalMs } = this.#work;
    const underWay = new Set<Promise<void>>();
    let problem: unknown;
    let commitAtMs = this.#clock.monotonicMs() + commitIntervalMs;
    for (let fetching = this.#fetch(); problem === undefined; ) {
      const fetched = await fetching;
      // The next fetch runs while these records are written.
      if (!this.#isDone) fetching = this.#fetch();
      while (underWay.size >= inFlightMax) await Promise.race(underWay);
      const written = this.#produce(fetched)
        .catch((error) => {
          problem ??= error;
        })
        .finally(() => underWay.delete(written));
      underWay.add(written);
      if (!this.#isDone && this.#clock.monotonicMs() < commitAtMs) continue;
      await Promise.all(underWay);
      // The fetch in flight belongs to the next commit.
      await this.#commit(fetched.next);
      commitAtMs = this.#clock.monotonicMs() + commitIntervalMs;
      if (this.#isDone && fetched.next.every((offset) => offset >= this.#work.recordsPerPartition)) break;
    }
    if (problem !== undefined) throw problem;
  }

  get #isDone(): boolean {
    return this.#offsets.every((offset) => offset >= this.#work.recordsPerPartition);
  }

  async #fetch(): Promise<Fetched> {
    const { from, transactionalId } = this.#work;
    const { responses } = await this.#reader.request(
      apis.Fetch,
      {
        maxWaitMs: 500,
        minBytes: 1,
        maxBytes: 50 * MiB,
        isolationLevel: transactionalId === null ? 0 : readCommitted,
        topics: [
          {
            topic: from,
            partitions: this.#offsets.map((fetchOffset, partition) => ({
              partition,
              fetchOffset,
              partitionMaxBytes: MiB,
            })),
          },
        ],
      },
      { timeoutMs, highestUseful: lastVersions.Fetch },
    );
    const records = new Map<number, RecordToWrite[]>();
    for (const { partitionIndex, errorCode, records: bytes } of responses[0]?.partitions ?? []) {
      if (errorCode !== 0) throw new Error(`Fetch: ${errorByCode(errorCode)?.name}`);
      const found: RecordToWrite[] = [];
      for (const batch of recordBatches(bytes ?? Buffer.alloc(0), { partialTail: 'ignore' })) {
        for (const { offset, timestamp, key, value } of batchRecords(batch)) {
          if (offset !== this.#offsets[partitionIndex]) continue;
          found.push({ timestamp, key, value });
          this.#offsets[partitionIndex] = offset + 1n;
        }
      }
      if (found.length > 0) records.set(partitionIndex, found);
    }
    return { records, next: [...this.#offsets] };
  }

  async #produce({ records }: Fetched): Promise<void> {
    const { to, transactionalId } = this.#work;
    const partitionData = Array.from(records, ([index, found]) => {
      const baseSequence = this.#sequences[index]!;
      this.#sequences[index] = baseSequence + found.length;
      const isTransactional = transactionalId !== null;
      return {
        index,
        records: buildRecordBatch(found, { ...this.#producer, baseSequence, isTransactional }),
      };
    });
    if (partitionData.length === 0) return;
    const { responses } = await this.#writer.request(
      apis.Produce,
      { transactionalId, acks: -1, timeoutMs, topicData: [{ name: to, partitionData }] },
      { timeoutMs, highestUseful: lastVersions.Produce },
    );
    for (const answer of responses[0]!.partitionResponses) succeeded('Produce', answer);
  }

  async #commit(next: readonly bigint[]): Promise<void> {
    const { from, groupId, transactionalId } = this.#work;
    const partitions = next.map((committedOffset, partitionIndex) => ({
      partitionIndex,
      committedOffset,
      committedMetadata: '',
    }));
    const request = { groupId, memberId: '', topics: [{ name: from, partitions }] };
    this.commits++;
    if (transactionalId === null) {
      const { topics } = await this.#writer.request(apis.OffsetCommit, request, {
        timeoutMs,
        highestUseful: lastVersions.OffsetCommit,
      });
      for (const answer of topics[0]!.partitions) succeeded('OffsetCommit', answer);
      return;
    }
    const transaction = { transactionalId, ...this.#producer };
    const { topics } = await this.#writer.request(
      apis.TxnOffsetCommit,
      { ...transaction, ...request },
      { timeoutMs },
    );
    for (const answer of topics[0]!.partitions) succeeded('TxnOffsetCommit', answer);
    this.#goOn(
      succeeded(
        'EndTxn',
        await this.#writer.request(apis.EndTxn, { ...transaction, committed: true }, { timeoutMs }),
      ),
    );
  }

  /** Each transaction has its own epoch, and its sequences start at 0. */
  #goOn({
    producerId,
    producerEpoch,
  }: {
    readonly producerId: bigint;
    readonly producerEpoch: number;
  }): void {
    this.#producer = { producerId, producerEpoch };
    this.#sequences.fill(0);
  }
}

interface Fetched {
  readonly records: ReadonlyMap<number, readonly RecordToWrite[]>;
  /** The next offset of each partition. */
  readonly next: readonly bigint[];
}
