import { backOffMs, type Random } from '@weir/core';
import { buildRecordBatch, type ErrorName, errorByCode, errors } from '@weir/wire';
import { type Bootstrap, ClientCluster } from './bootstrap.ts';
import { type Broker, type Connection, ConnectionLost } from './client.ts';
import type { ClientDeps } from './deps.ts';
import { nameOf, type ProduceLog, type ProducerKind, type SentBatch } from './history.ts';

export interface ProducerOptions extends ProducerKind {
  readonly requestsInFlightMax: number;
  /** Whether it sends batches of a partition to a new leader while others are in flight to the old one. */
  readonly movesMidway: boolean;
  readonly batchCount: number;
  /** Approximate time to send everything without faults. */
  readonly durationMs: number;
}

/** The batches of one producer for one partition. */
interface Stream {
  readonly partition: number;
  /** Batches to send by number, failed ones first. */
  queue: SentBatch[];
  readonly inFlight: Set<SentBatch>;
  nextNumber: number;
  /** Broker of the last batch. */
  broker: Broker | undefined;
  nextSequence: number;
}

const requestTimeoutMs = 3_000;
const retryBackoffMs = 100;
const retryBackoffMsMax = 1_000;
const metadataAgeMsMax = 2_500;

/**
 * A producer that behaves as Apache's. New batches are sent while others are in flight. A failed batch goes to the
 * front of the queue, and batches that were sent before are retried only when all batches in front of them are settled.
 * A request without an answer breaks its connection, and with it all requests in flight there. It never gives up on a
 * batch.
 */
export class Producer {
  readonly #world: ClientDeps;
  readonly #random: Random;
  readonly #history: ProduceLog;
  readonly #bootstrap: Bootstrap;
  readonly #options: ProducerOptions;
  readonly #cluster: ClientCluster;
  readonly #streams: readonly Stream[];
  #producerId = -1n;
  #left: number;
  #isStopped = false;
  #pausedUntilMs = 0;
  /** Consecutive requests without an answer. */
  #failures = 0;
  #cancelPump: (() => void) | undefined;

  constructor(world: ClientDeps, history: ProduceLog, bootstrap: Bootstrap, options: ProducerOptions) {
    this.#world = world;
    this.#random = world.random;
    this.#history = history;
    this.#bootstrap = bootstrap;
    this.#options = options;
    this.#left = options.batchCount;
    this.#cluster = new ClientCluster(world, bootstrap);
    this.#streams = Array.from({ length: bootstrap.partitionCount }, (_, partition) => ({
      partition,
      queue: [],
      inFlight: new Set(),
      nextNumber: 0,
      broker: undefined,
      nextSequence: 0,
    }));
    void this.#start();
  }

  get isDone(): boolean {
    return (
      this.#left === 0 && this.#streams.every(({ queue, inFlight }) => queue.length + inFlight.size === 0)
    );
  }

  cut(): void {
    this.#cluster.cut();
  }

  /** Drops queued batches and breaks all connections. */
  stop(): void {
    this.#isStopped = true;
    this.#left = 0;
    for (const stream of this.#streams) stream.queue = [];
    this.#cluster.cut();
  }

  async #start(): Promise<void> {
    await this.#cluster.refresh();
    while (this.#options.isIdempotent && this.#producerId < 0n && !this.#isStopped) await this.#initialise();
    this.#keepMetadataFresh();
    this.#produce();
  }

  async #initialise(): Promise<void> {
    const brokers = this.#bootstrap.brokers();
    const connection = this.#cluster.connectionTo(brokers[this.#random.below(brokers.length)]!);
    try {
      const body = { transactionalId: null, transactionTimeoutMs: 0, producerId: -1n, producerEpoch: -1 };
      const answer = await connection.request('InitProducerId', body, requestTimeoutMs);
      if (answer.errorCode === errors.NONE.code) this.#producerId = answer.producerId;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    await new Promise<void>((resolve) => this.#world.clock.after(retryBackoffMs, resolve));
  }

  #keepMetadataFresh(): void {
    this.#world.clock.after(metadataAgeMsMax * (0.5 + this.#random.next()), () => {
      if (this.isDone) return;
      void this.#cluster.refresh().then(() => this.#pump());
      this.#keepMetadataFresh();
    });
  }

  /** Creates the next batch and schedules the one after it. */
  #produce(): void {
    if (this.#left === 0) return;
    this.#left--;
    // Bursts put several batches in flight and into one file.
    const isBurst = this.#random.next() < 0.4;
    const meanMs = this.#options.durationMs / this.#options.batchCount;
    this.#enqueue(this.#streams[this.#random.below(this.#streams.length)]!);
    this.#pump();
    if (isBurst) this.#produce();
    else this.#world.clock.after(this.#random.next() * 3.3 * meanMs, () => this.#produce());
  }

  #enqueue(stream: Stream): void {
    const number = stream.nextNumber++;
    const recordCount = 1 + this.#random.below(4);
    const { name, isIdempotent } = this.#options;
    const records = Array.from({ length: recordCount }, (_, index) => ({
      timestamp: BigInt(Math.floor(this.#world.clock.nowMs())),
      key: null,
      value: Buffer.from(
        `${name}/${stream.partition}/${number}/${index}/`.padEnd(20 + this.#random.below(300)),
      ),
    }));
    const bytes = buildRecordBatch(
      records,
      isIdempotent
        ? { producerId: this.#producerId, producerEpoch: 0, baseSequence: stream.nextSequence }
        : {},
    );
    stream.nextSequence += recordCount;
    const { partition } = stream;
    const batch = { producer: this.#options, partition, number, bytes, recordCount, attempts: 0, offset: -1 };
    this.#history.send(batch);
    stream.queue.push(batch);
  }

  /** Sends all batches that are ready. */
  #pump(): void {
    const nowMs = this.#world.clock.monotonicMs();
    if (nowMs < this.#pausedUntilMs) {
      this.#pumpLater(this.#pausedUntilMs - nowMs);
      return;
    }
    for (let hasSent = true; hasSent; ) {
      hasSent = false;
      for (const [broker, streams] of this.#sendable()) {
        const connection = this.#cluster.connectionTo(broker);
        if (connection.inFlight >= this.#options.requestsInFlightMax) continue;
        this.#send(connection, streams);
        hasSent = true;
      }
    }
  }

  #pumpLater(delayMs: number): void {
    this.#cancelPump?.();
    this.#cancelPump = this.#world.clock.after(delayMs, () => this.#pump());
  }

  /** Returns the streams whose next batch is ready, by broker. */
  #sendable(): Map<Broker, Stream[]> {
    const byBroker = new Map<Broker, Stream[]>();
    for (const stream of this.#streams) {
      const first = stream.queue[0];
      if (first === undefined) continue;
      if (this.#options.isIdempotent && first.attempts > 0) {
        const isFirst = [...stream.inFlight].every(({ number }) => number > first.number);
        if (!isFirst) continue;
      }
      if (this.#options.requestsInFlightMax === 1 && stream.inFlight.size > 0) continue;
      const leader = this.#cluster.leaderOf(stream.partition);
      if (leader === undefined) {
        void this.#cluster.refresh();
        this.#pumpLater(retryBackoffMs);
        continue;
      }
      const isMoving = stream.inFlight.size > 0 && stream.broker !== leader;
      if (isMoving && this.#options.isIdempotent && !this.#options.movesMidway) continue;
      const streams = byBroker.get(leader);
      if (streams === undefined) byBroker.set(leader, [stream]);
      else streams.push(stream);
    }
    return byBroker;
  }

  /** Sends one request with one batch of each stream. */
  #send(connection: Connection, streams: readonly Stream[]): void {
    const batches = new Map<number, { readonly stream: Stream; readonly batch: SentBatch }>();
    for (const stream of streams) {
      const batch = stream.queue.shift()!;
      if (batch.attempts++ > 0) this.#world.tally.batchesRetried++;
      stream.inFlight.add(batch);
      stream.broker = connection.broker;
      batches.set(stream.partition, { stream, batch });
    }
    const partitionData = [...batches].map(([index, { batch }]) => ({ index, records: batch.bytes }));
    const { topicId, topicName } = this.#bootstrap;
    const body = {
      acks: -1,
      timeoutMs: requestTimeoutMs,
      topicData: [{ name: topicName, topicId, partitionData }],
    };
    const { agentId } = connection.broker;
    connection
      .request('Produce', body, requestTimeoutMs)
      .then(
        ({ responses }) => {
          this.#failures = 0;
          for (const { index, errorCode, baseOffset } of responses[0]!.partitionResponses) {
            const { stream, batch } = batches.get(index)!;
            const error = errorByCode(errorCode)!.name;
            if (error === 'NONE') {
              stream.inFlight.delete(batch);
              this.#history.acknowledge(batch, Number(baseOffset), agentId);
            } else {
              this.#failed(stream, batch, error, agentId);
            }
          }
        },
        (error) => {
          if (!(error instanceof ConnectionLost)) throw error;
          this.#world.tally.produceRepliesLost++;
          this.#failures++;
          for (const { stream, batch } of batches.values()) this.#failed(stream, batch, undefined, agentId);
        },
      )
      .then(
        () => this.#pump(),
        (error) => this.#world.problem(error),
      );
  }

  #failed(stream: Stream, batch: SentBatch, error: ErrorName | undefined, agentId: string): void {
    this.#world.note(`${nameOf(batch)} at ${agentId}: ${error ?? 'no answer'}`);
    stream.inFlight.delete(batch);
    if (this.#isStopped) return;
    const isBehind = [...stream.inFlight, ...stream.queue].some(
      ({ number, attempts }) => attempts > 0 && number < batch.number,
    );
    // An out-of-order sequence is retriable while earlier batches are unsettled. Otherwise the producer cannot recover.
    const isFatal =
      error !== undefined &&
      !errors[error].retriable &&
      !(error === 'OUT_OF_ORDER_SEQUENCE_NUMBER' && isBehind);
    if (isFatal)
      throw new Error(`${nameOf(batch)}: ${error} at ${agentId}, which no producer can recover from`);
    stream.queue.push(batch);
    stream.queue.sort((a, b) => a.number - b.number);
    const backoffMs = backOffMs(this.#failures, { firstMs: retryBackoffMs, maxMs: retryBackoffMsMax });
    this.#pausedUntilMs = this.#world.clock.monotonicMs() + backoffMs;
    void this.#cluster.refresh();
  }
}
