import { afterEvents, backOffMs } from '@weir/core';
import {
  apis,
  type CompressionCodec,
  errors,
  RecordBatchBuilder,
  type RequestOf,
  zeroUuid,
} from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import { clientLimits } from '../limits.ts';
import { byTopic } from '../place.ts';
import { subject } from '../records/leaders.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { type FoundTopic, findTopic } from '../topics.ts';
import {
  type ProducerIdentity,
  type RecordToSend,
  Send,
  SendQueue,
  type SentBatch,
  sizeOf,
} from './send-queue.ts';

export interface ProducerOptions {
  readonly acks: 'all' | '1';
  readonly codec: CompressionCodec;
  /** Numbers records, so that a batch that is sent twice is stored once, and several may be on their way. */
  readonly isIdempotent: boolean;
  /** Of a batch before compression. A larger record is refused. */
  readonly batchBytesMax: number;
  /** How long records are tried. */
  readonly timeoutMs: number;
  /** How long the leaders of a topic are remembered. */
  readonly metadataMaxAgeMs: number;
}

/** As many as every broker checks the numbers of. */
const inFlightMax = 5;
const retryBackOff = { firstMs: 50, maxMs: 1_000 };
/** From this version on requests identify topics by id. */
const lowestVersionWithIds = 13;

/** The broker does not know what came before, so that numbers begin anew. */
const lostIdentities: ReadonlySet<number> = new Set([
  errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code,
  errors.UNKNOWN_PRODUCER_ID.code,
  errors.INVALID_PRODUCER_EPOCH.code,
  errors.INVALID_PRODUCER_ID_MAPPING.code,
]);

const tooLarge: ReadonlySet<number> = new Set([
  errors.MESSAGE_TOO_LARGE.code,
  errors.RECORD_LIST_TOO_LARGE.code,
]);

interface RememberedLeaders {
  readonly found: FoundTopic;
  readonly atMs: number;
}

interface ReadyBatch {
  readonly queue: SendQueue;
  readonly batch: SentBatch;
  readonly topicId: string;
}

/**
 * Writes records to partitions, in the order of calls. Calls that wait for the same partition share batches, and
 * partitions with the same leader share requests.
 */
export class Producer {
  readonly #cluster: KafkaCluster;
  readonly #options: ProducerOptions;
  readonly #queues = new Map<string, SendQueue>();
  readonly #topics = new Map<string, RememberedLeaders>();
  readonly #lookUps = new Map<string, Promise<FoundTopic>>();
  #identity: Promise<ProducerIdentity> | undefined;
  #memory: Buffer | undefined;
  #isPumpDue = false;
  #cancelPump: (() => void) | undefined;
  #isClosed = false;

  constructor(cluster: KafkaCluster, options: ProducerOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** How many partitions a topic has. It is created if it is missing and the cluster allows that. */
  async partitionCount(topic: string): Promise<number> {
    return (await this.#leadersOf(topic)).topic.partitions.length;
  }

  /** Resolves when all records are stored or given up. Returns why, by the index of those that are not stored. */
  send(
    topic: string,
    partition: number,
    records: readonly RecordToSend[],
  ): Promise<ReadonlyMap<number, Error>> {
    return new Promise((resolve) => {
      const failed = new Map<number, Error>();
      let left = records.length;
      const settle = (index: number, error?: Error) => {
        if (error !== undefined) failed.set(index, error);
        if (--left === 0) resolve(failed);
      };
      if (left === 0) resolve(failed);
      else if (this.#isClosed) for (const index of records.keys()) settle(index, new Error('stopped'));
      else this.#enqueue(this.#queueOf(topic, partition), records, settle);
    });
  }

  /** Records of a partition that wait or are on their way. */
  backlog(topic: string, partition: number): number {
    const queue = this.#queues.get(`${topic}:${partition}`);
    if (queue === undefined) return 0;
    const waiting = queue.waiting.reduce((sum, { records }) => sum + records.length, 0);
    const sent = [...queue.inFlight, ...queue.resending];
    return sent.reduce((sum, { recordCount }) => sum + recordCount, waiting);
  }

  /** Gives up what is not stored. */
  close(): void {
    this.#isClosed = true;
    this.#cancelPump?.();
    for (const queue of this.#queues.values()) {
      const sends = [...queue.inFlight, ...queue.resending].flatMap((batch) => batch.sends);
      const waiting = [...sends, ...queue.waiting];
      queue.inFlight = [];
      queue.resending = [];
      queue.waiting = [];
      for (const send of waiting) send.settle(new Error('stopped'));
    }
  }

  #enqueue(
    queue: SendQueue,
    records: readonly RecordToSend[],
    settle: (index: number, error?: Error) => void,
  ): void {
    const { batchBytesMax } = this.#options;
    let from = 0;
    let byteCount = 0;
    const cut = (end: number) => {
      if (end > from) queue.waiting.push(new Send(records.slice(from, end), from, settle, byteCount));
      from = end;
      byteCount = 0;
    };
    for (const [index, record] of records.entries()) {
      const size = sizeOf(record);
      if (byteCount + size > Math.min(batchBytesMax, queue.batchBytesMax)) cut(index);
      byteCount += size;
      if (size <= batchBytesMax) continue;
      from = index + 1;
      byteCount = 0;
      settle(index, new Error(`the message has ${size} bytes; ${batchBytesMax} are allowed`));
    }
    cut(records.length);
    this.#pumpSoon();
  }

  #queueOf(topic: string, partition: number): SendQueue {
    const key = `${topic}:${partition}`;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = new SendQueue(topic, partition, this.#options.batchBytesMax);
      this.#queues.set(key, queue);
    }
    return queue;
  }

  /** Once for all calls of a turn, so that they share batches. */
  #pumpSoon(): void {
    if (this.#isPumpDue || this.#isClosed) return;
    this.#isPumpDue = true;
    afterEvents(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#isClosed) return;
    const nowMs = this.#cluster.clock.monotonicMs();
    const ready = new Map<number, ReadyBatch[]>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [key, queue] of this.#queues) {
      if (queue.isEmpty) {
        if (this.#queues.size > clientLimits.producerTopicsMax) this.#queues.delete(key);
        continue;
      }
      if (!queue.hasReady(this.#options.isIdempotent ? inFlightMax : 1)) continue;
      if (queue.notBeforeMs > nowMs) nextMs = Math.min(nextMs, queue.notBeforeMs);
      else this.#ready(queue, nowMs, ready);
    }
    for (const [leaderId, batches] of ready) void this.#request(leaderId, batches);
    this.#cancelPump?.();
    this.#cancelPump =
      nextMs === Number.POSITIVE_INFINITY
        ? undefined
        : this.#cluster.clock.after(nextMs - nowMs, () => this.#pumpSoon());
  }

  /** Takes a batch if its leader and the identity of the producer are known; otherwise asks for them. */
  #ready(queue: SendQueue, nowMs: number, ready: Map<number, ReadyBatch[]>): void {
    const remembered = this.#topics.get(queue.topic);
    if (remembered === undefined || nowMs - remembered.atMs > this.#options.metadataMaxAgeMs) {
      this.#whenKnown(queue, this.#lookUp(queue.topic));
      return;
    }
    if (this.#options.isIdempotent && queue.identity === undefined && queue.resending.length === 0) {
      const identity = this.#ownIdentity();
      this.#whenKnown(
        queue,
        identity.then((known) => {
          if (queue.identity !== undefined) return;
          queue.identity = known;
          queue.nextSequence = 0;
        }),
      );
      return;
    }
    const { topic } = remembered.found;
    const leaderId = topic.partitions.find((one) => one.partitionIndex === queue.partition)?.leaderId ?? -1;
    const ofLeader = ready.get(leaderId) ?? [];
    ofLeader.push({ queue, batch: queue.take(nowMs), topicId: topic.topicId ?? zeroUuid });
    ready.set(leaderId, ofLeader);
    // More of the same partition goes into another request.
    if (queue.hasReady(this.#options.isIdempotent ? inFlightMax : 1)) this.#pumpSoon();
  }

  /**
   * Goes on when something is known; what waits fails if it cannot be. A cluster that has records is asked again, as
   * long as records are tried: all of its brokers may be restarting.
   */
  #whenKnown(queue: SendQueue, known: Promise<unknown>): void {
    queue.notBeforeMs = Number.POSITIVE_INFINITY;
    known.then(
      () => {
        queue.notBeforeMs = 0;
        queue.unknownSinceMs = undefined;
        this.#pumpSoon();
      },
      (error: Error) => {
        if (this.#isClosed) return;
        const nowMs = this.#cluster.clock.monotonicMs();
        queue.unknownSinceMs ??= queue.resending[0]?.beganMs ?? nowMs;
        const isLate = nowMs - queue.unknownSinceMs >= this.#options.timeoutMs;
        if (queue.wasReached && mayPass(error) && !isLate) {
          queue.notBeforeMs = nowMs + backOffMs(queue.failures++, retryBackOff);
          this.#pumpSoon();
          return;
        }
        queue.notBeforeMs = 0;
        queue.unknownSinceMs = undefined;
        this.#identity = undefined;
        const again = queue.resending.flatMap(({ sends }) => sends);
        const sends = [...again, ...queue.waiting];
        queue.restart([]);
        queue.waiting = [];
        for (const send of sends) send.settle(error);
      },
    );
  }

  #ownIdentity(): Promise<ProducerIdentity> {
    this.#identity ??= this.#cluster.retrying(async () => {
      const connection = await this.#cluster.bootstrap();
      const { errorCode, producerId, producerEpoch } = await connection.request(
        apis.InitProducerId,
        { transactionalId: null, transactionTimeoutMs: 60_000 },
        { timeoutMs: this.#cluster.timeoutMs },
      );
      if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed('InitProducerId', errorCode);
      return { producerId, producerEpoch };
    });
    return this.#identity;
  }

  async #leadersOf(topic: string): Promise<FoundTopic> {
    const remembered = this.#topics.get(topic);
    const nowMs = this.#cluster.clock.monotonicMs();
    if (remembered !== undefined && nowMs - remembered.atMs <= this.#options.metadataMaxAgeMs)
      return remembered.found;
    return this.#lookUp(topic);
  }

  #lookUp(topic: string): Promise<FoundTopic> {
    const running = this.#lookUps.get(topic);
    if (running !== undefined) return running;
    const lookUp = this.#cluster
      .retrying(() => findTopic(this.#cluster, topic, { mayCreate: true }))
      .then((found) => {
        if (this.#topics.size >= clientLimits.producerTopicsMax) this.#topics.clear();
        this.#topics.set(topic, { found, atMs: this.#cluster.clock.monotonicMs() });
        return found;
      })
      .finally(() => this.#lookUps.delete(topic));
    this.#lookUps.set(topic, lookUp);
    return lookUp;
  }

  async #request(leaderId: number, batches: readonly ReadyBatch[]): Promise<void> {
    try {
      const answers = await this.#answers(leaderId, batches);
      for (const { queue, batch } of batches) {
        const about = subject(queue.topic, queue.partition);
        const answer = answers.get(about);
        if (answer === undefined) this.#answered(queue, batch, new Error(`${about}: no response`));
        else if (answer.errorCode === errors.NONE.code || answer.errorCode === duplicate)
          this.#answered(queue, batch);
        else
          this.#answered(
            queue,
            batch,
            new KafkaRequestFailed(about, answer.errorCode, answer.errorMessage ?? null),
          );
      }
    } catch (error) {
      for (const { queue, batch } of batches) this.#answered(queue, batch, error as Error);
    }
  }

  async #answers(leaderId: number, batches: readonly ReadyBatch[]) {
    const { timeoutMs, acks } = this.#options;
    const [{ queue: first }] = batches as [ReadyBatch];
    const broker = this.#topics.get(first.topic)?.found.brokers.find(({ nodeId }) => nodeId === leaderId);
    if (broker === undefined)
      throw new KafkaRequestFailed(subject(first.topic, first.partition), errors.LEADER_NOT_AVAILABLE.code);
    const topicIds = new Map(batches.map(({ topicId, queue }) => [topicId, queue.topic]));
    const ofTopics = byTopic(batches.map((one) => ({ ...one, ...placeOf(one.queue) })));
    const body: RequestOf<typeof apis.Produce> = {
      transactionalId: null,
      acks: acks === 'all' || this.#options.isIdempotent ? -1 : 1,
      timeoutMs,
      topicData: [...ofTopics].map(([name, ofTopic]) => ({
        name,
        topicId: ofTopic[0]!.topicId,
        partitionData: ofTopic.map(({ partition, batch }) => ({
          index: partition,
          records: this.#encoded(batch),
        })),
      })),
    };
    const connection = await this.#cluster.connectionTo(broker);
    const { responses } = await connection.request(apis.Produce, body, {
      timeoutMs,
      highestUseful: topicIds.has(zeroUuid) ? lowestVersionWithIds - 1 : undefined,
    });
    return new Map(
      responses.flatMap(({ name, topicId, partitionResponses }) =>
        partitionResponses.map((answer) => [
          subject(name || (topicIds.get(topicId ?? zeroUuid) ?? ''), answer.index),
          answer,
        ]),
      ),
    );
  }

  #encoded({ sends, identity, sequence, byteCount }: SentBatch): Buffer {
    const { codec } = this.#options;
    const expectedBytes = byteCount + batchHeaderBytes;
    const builder = new RecordBatchBuilder({
      codec,
      expectedBytes,
      ...(codec !== 'none' && { memory: this.#memoryOf(expectedBytes) }),
      ...(identity && { ...identity, baseSequence: sequence }),
    });
    for (const { records } of sends) for (const record of records) builder.append(record);
    return builder.finish();
  }

  /** Compressed batches are built in the same memory in turn: V8 collects garbage by the bytes of buffers too. */
  #memoryOf(byteCount: number): Buffer {
    if (this.#memory === undefined || this.#memory.length < byteCount) {
      this.#memory = Buffer.allocUnsafe(byteCount);
    }
    return this.#memory;
  }

  #answered(queue: SendQueue, batch: SentBatch, error?: Error): void {
    if (this.#isClosed) return;
    if (error === undefined) {
      queue.inFlight.splice(queue.inFlight.indexOf(batch), 1);
      queue.failures = 0;
      queue.isKnownToBroker = true;
      queue.wasReached = true;
      for (const send of batch.sends) send.settle();
    } else {
      batch.state = 'failed';
      batch.error = error;
      // It may have another leader, or another id.
      this.#topics.delete(queue.topic);
    }
    const isOver = queue.inFlight.every(({ state }) => state === 'failed');
    if (isOver && queue.inFlight.length > 0) this.#recover(queue);
    this.#pumpSoon();
  }

  /** When nothing of a partition is on its way: what failed is sent again in order, or given up. */
  #recover(queue: SendQueue): void {
    const failed = queue.inFlight;
    queue.inFlight = [];
    const nowMs = this.#cluster.clock.monotonicMs();
    queue.notBeforeMs = nowMs + backOffMs(queue.failures++, retryBackOff);
    const [first] = failed as [SentBatch];
    const { error } = first;
    const code = error instanceof KafkaRequestFailed ? error.code : undefined;
    const isLate = nowMs - first.beganMs >= this.#options.timeoutMs;
    if (code !== undefined && tooLarge.has(code) && first.recordCount > 1) {
      queue.batchBytesMax = Math.max(1, Math.floor(first.byteCount / 2));
      queue.restart(failed);
      queue.waiting = queue.waiting.flatMap((send) =>
        send.byteCount > queue.batchBytesMax && send.records.length > 1 ? send.halves() : [send],
      );
    } else if (!isLate && code !== undefined && lostIdentities.has(code)) {
      this.#identity = undefined;
      queue.restart(failed);
    } else if (!isLate && mayPass(error)) {
      queue.resending = [...failed, ...queue.resending];
    } else {
      // The others may go on without it, with other numbers.
      const { identity } = first;
      if (identity !== undefined) this.#identity = undefined;
      queue.restart(failed.slice(1));
      for (const send of first.sends) send.settle(error);
    }
  }
}

const duplicate = errors.DUPLICATE_SEQUENCE_NUMBER.code;
const batchHeaderBytes = 64;

function placeOf({ topic, partition }: SendQueue) {
  return { topic, partition };
}

function mayPass(error: Error | undefined): boolean {
  return error instanceof KafkaRequestFailed ? error.retriable : error instanceof ConnectionFailed;
}
