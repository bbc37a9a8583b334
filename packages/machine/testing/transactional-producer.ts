import { entryErrors, type TransactionalProducer } from '@weir/cluster';
import type { Cluster } from './cluster.ts';
import type { BatchToCommit } from './file-commit.ts';

export interface ProducerOptions {
  /** Whether it has an epoch per transaction, as clients since Kafka 4.0 do. */
  readonly bumps?: boolean;
  readonly timeoutMs?: number;
}

/** A client with a transactional id that counts sequences like real ones, and returns answers as one word. */
export class TestProducer {
  readonly #cluster: Cluster;
  readonly transactionalId: string;
  readonly bumps: boolean;
  readonly timeoutMs: number;
  producerId = -1;
  epoch = -1;
  connection = 'first';
  #request = 0;
  readonly #sequences = new Map<string, number>();

  constructor(
    cluster: Cluster,
    transactionalId = 'tx',
    { bumps = true, timeoutMs = 60_000 }: ProducerOptions = {},
  ) {
    this.#cluster = cluster;
    this.transactionalId = transactionalId;
    this.bumps = bumps;
    this.timeoutMs = timeoutMs;
  }

  get caller() {
    return {
      transactionalId: this.transactionalId,
      producerId: this.producerId,
      producerEpoch: this.epoch,
      origin: { connection: this.connection, request: ++this.#request },
    };
  }

  /** Returns a copy with the current state of this one, to send a delayed request. */
  ghost(): TestProducer {
    const ghost = new TestProducer(this.#cluster, this.transactionalId, this);
    ghost.producerId = this.producerId;
    ghost.epoch = this.epoch;
    ghost.connection = this.connection;
    ghost.#request = this.#request;
    return ghost;
  }

  /** Initialises as a producer that has just started or, with `goesOn`, as one that continues after an error. */
  init(goesOn = false): string {
    const { transactionalId, timeoutMs, producerId, epoch } = this;
    const expected = goesOn ? { producerId, producerEpoch: epoch } : { producerId: -1, producerEpoch: -1 };
    return this.#learn(
      this.#cluster.execute({
        kind: 'initTransactionalProducer',
        request: { transactionalId, timeoutMs, ...expected },
      }),
    );
  }

  add(...places: [topicId: string, partition: number][]): string {
    const partitions = places.map(([topicId, partition]) => ({ topicId, partition }));
    return this.#cluster.execute({
      kind: 'addPartitionsToTransaction',
      request: { ...this.caller, partitions },
    }).error;
  }

  addGroup(groupId: string): string {
    return this.#cluster.execute({ kind: 'addOffsetsToTransaction', request: { ...this.caller, groupId } })
      .error;
  }

  commitOffset(groupId: string, topicId: string, offset: number): string {
    const { error, offsets } = this.#cluster.execute({
      kind: 'commitTransactionOffsets',
      request: {
        ...this.caller,
        groupId,
        generationIdOrMemberEpoch: -1,
        memberId: '',
        groupInstanceId: null,
        addsGroup: this.bumps,
        offsets: [{ topicId, partition: 0, offset, leaderEpoch: -1, metadata: '' }],
      },
    });
    return error === 'NONE' ? offsets[0]! : error;
  }

  /** Returns the offset of a batch of records, or its error. */
  send(topicId: string, partition = 0, records = 1, overrides: Partial<BatchToCommit> = {}): string | number {
    const key = `${topicId}/${partition}/${this.producerId}/${this.epoch}`;
    const sequence = overrides.sequence ?? this.#sequences.get(key) ?? 0;
    const { transactionalId, producerId, epoch, bumps: addsPartition } = this;
    const batch = {
      topicId,
      partition,
      records,
      sequence,
      producerId,
      epoch,
      transactionalId,
      addsPartition,
    };
    const [result] = this.#cluster.commit({ ...batch, ...overrides });
    if (typeof result !== 'number') return entryErrors[Number(result!.split(' ')[1])]!;
    this.#sequences.set(key, sequence + records);
    return result;
  }

  end(isCommit: boolean): string {
    return this.#learn(this.#end(isCommit));
  }

  /** Ends the transaction, but loses the answer. */
  endWithoutAnswer(isCommit: boolean): string {
    return this.#end(isCommit).error;
  }

  #end(isCommit: boolean): TransactionalProducer {
    const { caller, bumps: bumpsEpoch } = this;
    return this.#cluster.execute({ kind: 'endTransaction', request: { ...caller, isCommit, bumpsEpoch } });
  }

  #learn({ error, producerId, producerEpoch }: TransactionalProducer): string {
    if (error !== 'NONE') return error;
    this.producerId = producerId;
    this.epoch = producerEpoch;
    return 'NONE';
  }
}
