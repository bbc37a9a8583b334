import {
  allAnswers,
  type FetchedBatches,
  type FetchLimits,
  type FoundTopic,
  fetchBatches,
  type KafkaCluster,
  KafkaRequestFailed,
  offsetRanges,
  type RememberedTopic,
  subject,
} from '@weir/client';
import { Failure } from '@weir/core';
import { DecodeError, errors, recordBatches } from '@weir/wire';
import type { Meter } from './meter.ts';
import { mayPass } from './run-benchmark.ts';

export const fetchLatency = 'fetch';
export const ageLatency = 'record age';

interface PartitionReaderOptions {
  readonly cluster: KafkaCluster;
  readonly topic: RememberedTopic;
  readonly limits: FetchLimits;
  readonly meter: Meter;
  /** Called after every answer. */
  readonly onProgress: () => void;
}

/** After a failure, before the next attempt. */
const pauseAfterFailureMs = 200;

/**
 * Reads partitions as fast as their leaders deliver, with one request in flight per leader, so that no leader waits for
 * another. Batches are validated as a client would, and neither decompressed nor stored.
 */
export class PartitionReader {
  readonly #options: PartitionReaderOptions;
  readonly #positions: Map<number, bigint>;
  readonly #busy = new Map<number, Promise<void>>();
  #isStopping = false;
  /** The last failure that the loop has not handled yet. */
  #trouble: unknown;

  constructor(options: PartitionReaderOptions, from: ReadonlyMap<number, bigint>) {
    this.#options = options;
    this.#positions = new Map(from);
  }

  /** The offset of the next record of each partition. */
  get positions(): ReadonlyMap<number, bigint> {
    return this.#positions;
  }

  /** Reads until it is stopped. Throws failures that cannot be retried. */
  async run(): Promise<void> {
    const { cluster, topic, meter } = this.#options;
    try {
      while (!this.#isOver) {
        try {
          this.#fetchFromLeaders(await topic.find());
          if (this.#busy.size === 0) await cluster.pause(pauseAfterFailureMs);
          else await Promise.race(this.#busy.values());
          if (this.#trouble !== undefined) throw this.#trouble;
        } catch (error) {
          this.#trouble = undefined;
          if (this.#isOver && error instanceof Failure) break;
          if (!mayPass(error)) throw error;
          meter.fail(error.message);
          topic.forget();
          await cluster.pause(pauseAfterFailureMs);
        }
      }
    } finally {
      await Promise.all(this.#busy.values());
    }
  }

  /** Ends `run` as soon as the requests in flight have been answered. */
  stop(): void {
    this.#isStopping = true;
  }

  get #isOver(): boolean {
    return this.#isStopping || this.#options.cluster.stop.aborted;
  }

  /** Sends a request to every leader without one in flight. */
  #fetchFromLeaders({ topic, brokers }: FoundTopic): void {
    const byLeader = new Map<number, Map<number, bigint>>();
    for (const [partition, offset] of this.#positions) {
      const leaderId = topic.partitions.find(({ partitionIndex }) => partitionIndex === partition)?.leaderId;
      if (leaderId === undefined) throw new Failure(`${subject(topic.name!, partition)} was deleted`);
      const led = byLeader.get(leaderId) ?? new Map<number, bigint>();
      byLeader.set(leaderId, led.set(partition, offset));
    }
    for (const [leaderId, led] of byLeader) {
      if (this.#busy.has(leaderId)) continue;
      const leader = brokers.find(({ nodeId }) => nodeId === leaderId);
      if (leader === undefined) {
        throw new KafkaRequestFailed(`topic ${topic.name}`, errors.LEADER_NOT_AVAILABLE.code);
      }
      const { cluster, limits } = this.#options;
      const fetching = async () => {
        const connection = await cluster.connectionTo(leader);
        const requestedAtMs = cluster.clock.monotonicMs();
        const found = await fetchBatches(connection, topic, led, limits);
        await this.#take(topic.name!, found, requestedAtMs);
      };
      const settled = fetching()
        .catch((error: unknown) => {
          this.#trouble = error;
        })
        .finally(() => this.#busy.delete(leaderId));
      this.#busy.set(leaderId, settled);
    }
  }

  async #take(
    topicName: string,
    found: ReadonlyMap<number, FetchedBatches | Failure>,
    requestedAtMs: number,
  ): Promise<void> {
    const { cluster, meter, onProgress } = this.#options;
    let records = 0;
    for (const [partition, batches] of found) {
      if (!(batches instanceof Failure)) records += this.#count(topicName, partition, batches.records);
      else if (isOutOfRange(batches)) await this.#startAnew(topicName, partition);
      else throw batches;
    }
    if (records > 0) meter.observe(fetchLatency, cluster.clock.monotonicMs() - requestedAtMs, records);
    onProgress();
  }

  #count(topicName: string, partition: number, bytes: Buffer): number {
    const { cluster, meter } = this.#options;
    const about = subject(topicName, partition);
    const nowMs = cluster.clock.nowMs();
    const from = this.#positions.get(partition)!;
    let next = from;
    let counted = 0;
    try {
      for (const batch of recordBatches(bytes, { partialTail: 'ignore' })) {
        if (!batch.hasValidCrc())
          throw new Failure(`${about}: the batch at offset ${batch.baseOffset} is damaged`);
        if (batch.nextOffset <= next) continue;
        // Batches are returned whole, so the first may begin before the requested offset.
        const skipped = batch.baseOffset < next ? Number(next - batch.baseOffset) : 0;
        const records = batch.isControl ? 0 : Math.max(0, batch.recordCount - skipped);
        if (records > 0) {
          meter.count(records, batch.sizeBytes);
          meter.observe(ageLatency, nowMs - Number(batch.maxTimestamp), records);
        }
        counted += records;
        next = batch.nextOffset;
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new Failure(`${about}: invalid response: ${error.message}`);
    }
    this.#positions.set(partition, next);
    return counted;
  }

  /** Continues at the earliest offset, after the next records to read were deleted. */
  async #startAnew(topicName: string, partition: number): Promise<void> {
    const ranges = allAnswers(await offsetRanges(this.#options.cluster, topicName, [partition]));
    this.#positions.set(partition, ranges.get(partition)!.earliest);
  }
}

function isOutOfRange(failure: Failure): boolean {
  return failure instanceof KafkaRequestFailed && failure.code === errors.OFFSET_OUT_OF_RANGE.code;
}
