import {
  createTopic,
  type KafkaCluster,
  KafkaRequestFailed,
  kafkaReason,
  Producer,
  type ProducerOptions,
} from '@weir/client';
import { backOffMs, pauseUnlessStopped } from '@weir/core';
import { errors } from '@weir/wire';
import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch, Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import type { Partitioner } from './partitioners.ts';

export type RecordHeaders = readonly { readonly key: string; readonly value: Buffer }[];

interface KafkaOutputOptions {
  readonly topic: Interpolated;
  readonly key: Interpolated | undefined;
  /** The key of a record whose field is empty or null is absent. */
  isAbsentKey(key: Buffer): boolean;
  /** The partition; absent if the partitioner chooses it. */
  readonly partition: Interpolated | undefined;
  readonly partitioner: Partitioner;
  headersOf(message: Message): RecordHeaders;
  readonly producer: ProducerOptions;
  /** Makes topics that are missing, with so many partitions; absent if the cluster does so or not. */
  readonly topicsToCreate?: { readonly partitions: number; readonly replicationFactor: number } | undefined;
  readonly recordsMax: number;
  readonly retries?: Retries | undefined;
  openCluster(stop: AbortSignal): KafkaCluster;
}

interface Retries {
  /** 0 is any number. */
  readonly countMax: number;
  readonly firstMs: number;
  readonly maxMs: number;
  /** 0 is any time. */
  readonly elapsedMsMax: number;
  /** Repeats all messages of a batch if one failed, so that their order is kept. */
  readonly isWhole: boolean;
}

/** Records of one partition, and where their messages are in the batch. */
interface Placed {
  readonly topic: string;
  readonly partition: number;
  readonly records: RecordToPlaceAt[];
}

interface RecordToPlaceAt {
  readonly index: number;
  readonly timestamp: bigint;
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Message | null;
  readonly headers: RecordHeaders;
}

/** Writes messages as records, in the order of calls. */
export class KafkaOutput implements Output {
  readonly #options: KafkaOutputOptions;
  readonly #context: ComponentContext;
  readonly #over = new AbortController();
  readonly #created = new Set<string>();
  #cluster: KafkaCluster | undefined;
  #producer: Producer | undefined;
  /** Batches are placed one after the other: a topic may have to be looked up. */
  #placing: Promise<unknown> = Promise.resolve();
  #records = 0;
  #wakes: (() => void)[] = [];

  constructor(options: KafkaOutputOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  ready(): Promise<void> | undefined {
    if (this.#records < this.#options.recordsMax) return undefined;
    return new Promise<void>((resolve) => this.#wakes.push(resolve)).then(() => this.ready());
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    this.#records += batch.length;
    try {
      await this.#writeRepeatedly(batch, stop);
    } finally {
      this.#records -= batch.length;
      const wakes = this.#wakes;
      this.#wakes = [];
      for (const wake of wakes) wake();
    }
  }

  async close(): Promise<void> {
    this.#producer?.close();
    this.#over.abort();
    await this.#cluster?.close();
  }

  async #writeRepeatedly(batch: Batch, stop: AbortSignal): Promise<void> {
    const { retries } = this.#options;
    const { clock, log } = this.#context;
    const beganMs = clock.monotonicMs();
    let wanted = batch.map((_, index) => index);
    for (let attempt = 0; ; attempt++) {
      const failed = await this.#writeOnce(batch, wanted);
      if (failed.size === 0) return;
      const pauseMs = retries === undefined ? 0 : backOffMs(attempt, retries);
      const tookMs = clock.monotonicMs() - beganMs;
      if (
        retries === undefined ||
        stop.aborted ||
        (retries.countMax > 0 && attempt >= retries.countMax) ||
        (retries.elapsedMsMax > 0 && tookMs + pauseMs > retries.elapsedMsMax)
      )
        throw new BatchFailure(failed);
      const [first] = failed.values();
      log.warn('failed to write messages', {
        error: kafkaReason(first),
        messages: failed.size,
      });
      await pauseUnlessStopped(clock, pauseMs, stop);
      if (!retries.isWhole) wanted = [...failed.keys()];
    }
  }

  /** Returns why, for those that are not stored. */
  async #writeOnce(batch: Batch, indexes: readonly number[]): Promise<ReadonlyMap<number, Error>> {
    const failed = new Map<number, Error>();
    const sending = this.#placing.then(async () => {
      const producer = this.#opened();
      const placed = await this.#placed(batch, indexes, producer, failed);
      // Not awaited by the next batch: it is behind this one in the queues.
      return {
        done: Promise.all(
          placed.map(async ({ topic, partition, records }) => {
            const reasons = await producer.send(topic, partition, records);
            for (const [at, reason] of reasons) failed.set(records[at]!.index, named(reason));
          }),
        ),
      };
    });
    this.#placing = sending.catch(() => undefined);
    await (await sending).done;
    return failed;
  }

  #opened(): Producer {
    this.#cluster ??= this.#options.openCluster(this.#over.signal);
    this.#producer ??= new Producer(this.#cluster, this.#options.producer);
    return this.#producer;
  }

  /** Records by partition. A message whose topic, key or partition cannot be found out fails alone. */
  async #placed(
    batch: Batch,
    indexes: readonly number[],
    producer: Producer,
    failed: Map<number, Error>,
  ): Promise<Placed[]> {
    const { partitioner } = this.#options;
    const placed = new Map<string, Placed>();
    const partitionCounts = new Map<string, number | Error>();
    const timestamp = BigInt(Math.trunc(this.#context.clock.nowMs()));
    partitioner.begin?.();
    for (const index of indexes) {
      try {
        const topic = this.#options.topic.text(batch, index, this.#context.mappingPorts);
        if (!partitionCounts.has(topic)) partitionCounts.set(topic, await this.#countOf(topic, producer));
        const partitionCount = partitionCounts.get(topic)!;
        if (partitionCount instanceof Error) throw partitionCount;
        const record = this.#record(batch, index, timestamp);
        const partition = this.#partitionOf(batch, index, { ...record, topic, partitionCount }, producer);
        const place = `${topic}:${partition}`;
        const known = placed.get(place);
        if (known === undefined) placed.set(place, { topic, partition, records: [record] });
        else known.records.push(record);
        batch[index]!.forget();
      } catch (error) {
        failed.set(index, named(error));
      }
    }
    return [...placed.values()];
  }

  #record(batch: Batch, index: number, timestamp: bigint): RecordToPlaceAt {
    const { key: keyField, headersOf, isAbsentKey } = this.#options;
    const message = batch[index]!;
    const key = keyField?.bytes(batch, index, this.#context.mappingPorts);
    // What was read as a tombstone and has no content since is written as one.
    const isTombstone = message.byteLength === 0 && message.metadata.get('kafka_tombstone_message') === true;
    return {
      index,
      timestamp,
      key: key === undefined || isAbsentKey(key) ? null : key,
      value: isTombstone ? null : message,
      headers: headersOf(message),
    };
  }

  #partitionOf(
    batch: Batch,
    index: number,
    { topic, key, value, partitionCount }: RecordToPlaceAt & { topic: string; partitionCount: number },
    producer: Producer,
  ): number {
    const { partition: field, partitioner } = this.#options;
    if (field !== undefined) {
      const text = field.text(batch, index, this.#context.mappingPorts);
      const partition = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
      if (partition === undefined) throw new Error(`partition is ${text}, which is not a whole number`);
      if (partition < partitionCount) return partition;
      throw new Error(`topic ${topic} has no partition ${partition}; it has ${partitionCount}`);
    }
    const byteCount = (key?.length ?? 0) + (value?.byteLength ?? 0);
    return partitioner.partitionOf(
      { topic, key, byteCount },
      { partitionCount, backlog: (partition) => producer.backlog(topic, partition) },
    );
  }

  async #countOf(topic: string, producer: Producer): Promise<number | Error> {
    try {
      if (topic === '') throw new Error('topic is empty');
      await this.#ensureTopic(topic);
      const count = await producer.partitionCount(topic);
      return count > 0 ? count : new Error(`topic ${topic} has no partitions`);
    } catch (error) {
      return error as Error;
    }
  }

  async #ensureTopic(topic: string): Promise<void> {
    const { topicsToCreate } = this.#options;
    if (topicsToCreate === undefined || this.#created.has(topic)) return;
    const { partitions, replicationFactor } = topicsToCreate;
    try {
      await createTopic(this.#cluster!, {
        name: topic,
        ...(partitions > 0 && { partitions }),
        ...(replicationFactor > 0 && { replicationFactor }),
        configs: [],
      });
    } catch (error) {
      const exists = error instanceof KafkaRequestFailed && error.code === errors.TOPIC_ALREADY_EXISTS.code;
      if (!exists) throw error;
    }
    if (this.#created.size >= pipelineLimits.partitionsMax) this.#created.clear();
    this.#created.add(topic);
  }
}

/** With a text in one line. */
function named(error: unknown): Error {
  return new Error(kafkaReason(error), { cause: error });
}
