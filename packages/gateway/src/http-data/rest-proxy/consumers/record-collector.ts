import type { AnswerMemory } from '@weir/broker';
import type { Clock } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { errorByCode, errors, type RecordCursor } from '@weir/wire';
import { gatewayLimits } from '../../../limits.ts';
import { BatchTooLarge, fetchedRecords } from '../../fetched-records.ts';
import type { HandlerClient } from '../../handler-client.ts';
import type { InflatedMemory } from '../../inflated-memory.ts';
import { bytesOf, fetch } from '../../kafka-fetch.ts';
import { refuseLarge } from '../../record-pieces.ts';
import { kafkaProblem } from '../proxy-problems.ts';
import { undecodable } from './consumer-problems.ts';
import type { HeldPartition } from './held-partitions.ts';
import type { RecordTexts } from './record-texts.ts';

interface CollectorOptions {
  /** Of the request that reads, since records are valid as long as it lasts. */
  readonly client: HandlerClient;
  readonly texts: RecordTexts;
  readonly bytesMax: number;
  /** Bytes of keys and values that are enough. */
  readonly minBytes: number;
  readonly answers: AnswerMemory;
  readonly inflated: InflatedMemory;
  readonly clock: Clock;
  readonly pause: () => Promise<void>;
}

/** Of a Kafka consumer. */
const partitionBytesMax = 1024 * 1024;
/** Time of the serving thread after which other work runs. */
const sliceMs = 5;

/** Collects the records of one answer, by one fetch or several. Positions do not move before all is done. */
export class RecordCollector {
  readonly #options: CollectorOptions;
  readonly #nextOffsets = new Map<HeldPartition, number>();
  readonly #texts: string[] = [];
  #bytes = 0;
  #chars = 0;
  #isFull = false;
  #sliceEndMs = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Records as JSON. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  get isEnough(): boolean {
    return this.#isFull || this.#bytes > this.#options.minBytes;
  }

  /** What has to be read after this answer. */
  get nextOffsets(): ReadonlyMap<HeldPartition, number> {
    return this.#nextOffsets;
  }

  /**
   * Fetches once, and waits for records for a while if there are none. Returns the partitions whose positions do not
   * exist any more.
   */
  async fetchFrom(partitions: readonly HeldPartition[], waitMs: number): Promise<readonly HeldPartition[]> {
    const { client } = this.#options;
    if (partitions.length === 0) {
      await client.pause(waitMs);
      return [];
    }
    const bytesMax = Math.max(1, this.#options.bytesMax - this.#bytes);
    const byPlace = new Map(partitions.map((held) => [`${held.topic}/${held.partition}`, held]));
    const { responses, throttleTimeMs } = await fetch(
      {
        topics: [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
          topic,
          partitions: ofTopic.map((held) => ({
            partition: held.partition,
            offset: this.#offsetOf(held),
            bytesMax: Math.min(bytesMax, partitionBytesMax),
          })),
        })),
        bytesMax,
        waitMs: this.#texts.length === 0 ? waitMs : Math.min(waitMs, 100),
        minBytes: 1,
        isolationLevel: 0,
      },
      client,
      0,
    );
    const outOfRange: HeldPartition[] = [];
    let isRefused = false;
    for (const { topic = '', partitions: answered } of responses) {
      for (const partition of answered) {
        const held = byPlace.get(`${topic}/${partition.partitionIndex}`);
        if (held === undefined || this.#isFull) continue;
        if (partition.errorCode === 0) await this.#take(held, bytesOf(partition));
        else if (partition.errorCode === errors.OFFSET_OUT_OF_RANGE.code) outOfRange.push(held);
        else isRefused = isPassing(topic, partition.errorCode);
      }
    }
    // A fetch with an error is answered at once, and so is one above a quota.
    if (isRefused || throttleTimeMs > 0) await client.pause(Math.min(waitMs, Math.max(throttleTimeMs, 100)));
    return outOfRange;
  }

  #offsetOf(held: HeldPartition): number {
    return this.#nextOffsets.get(held) ?? held.position!;
  }

  async #take(held: HeldPartition, records: Buffer): Promise<void> {
    const { answers, inflated, pause } = this.#options;
    const progress = { nextOffset: BigInt(this.#offsetOf(held)) };
    const fromOffset = progress.nextOffset;
    answers.change(records.length);
    try {
      const options = {
        fromOffset,
        progress,
        aborted: null,
        pause,
        bytesMax: gatewayLimits.httpConsumerAnswerBytesMax,
        inflated,
      };
      for await (const record of fetchedRecords(records, options)) {
        if (!(await this.#add(held, record))) return;
        this.#nextOffsets.set(held, Number(record.offset) + 1);
      }
      if (progress.nextOffset > fromOffset) this.#nextOffsets.set(held, Number(progress.nextOffset));
    } catch (error) {
      if (!(error instanceof BatchTooLarge)) throw error;
      this.#isFull = this.#texts.length > 0;
      if (!this.#isFull) throw undecodable(error.message);
    } finally {
      answers.change(-records.length);
    }
  }

  /** Returns false if there is no room for the record. The first one always has room. */
  async #add(held: HeldPartition, record: RecordCursor): Promise<boolean> {
    const { texts, bytesMax, clock, pause } = this.#options;
    const bytes = (record.key?.length ?? 0) + (record.value?.length ?? 0);
    this.#isFull =
      (this.#texts.length > 0 && this.#bytes + bytes >= bytesMax) ||
      // A small payload can be large as JSON.
      this.#chars > gatewayLimits.httpFetchFormattedCharsMax;
    if (this.#isFull) return false;
    refuseLarge(record);
    try {
      const { offset } = record;
      const { key, value } = await texts(record, held);
      const topic = JSON.stringify(held.topic);
      const text = `{"topic":${topic},"key":${key},"value":${value},"partition":${held.partition},"offset":${offset}}`;
      this.#texts.push(text);
      this.#chars += text.length;
    } catch (error) {
      // What was read before it is not lost: it is answered, and the next read fails.
      this.#isFull = error instanceof HttpProblem && this.#texts.length > 0;
      if (this.#isFull) return false;
      throw error;
    }
    this.#bytes += bytes;
    if (clock.monotonicMs() >= this.#sliceEndMs) {
      await pause();
      this.#sliceEndMs = clock.monotonicMs() + sliceMs;
    }
    return true;
  }
}

/** Whether a partition may be read later. Throws a problem for what does not pass. */
function isPassing(topic: string, errorCode: number): boolean {
  if (errorCode === errors.UNKNOWN_TOPIC_OR_PARTITION.code || errorByCode(errorCode)?.retriable === true)
    return true;
  throw kafkaProblem(topic, errorCode);
}
