import type { ReadRecords, ReadRecordsQuery, RecordPosition } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { errorByCode, errors, type RecordCursor } from '@weir/wire';
import { BatchTooLarge, fetchedRecords } from '../http-data/fetched-records.ts';
import type { FormattedPart, FormattedRecords } from '../http-data/formatted-records.ts';
import type { InflatedMemory } from '../http-data/inflated-memory.ts';
import { bytesOf, type FetchedPartition, fetch } from '../http-data/kafka-fetch.ts';
import { gatewayLimits } from '../limits.ts';
import type { BrowserClient } from './browser-client.ts';
import { type LogBounds, logBounds } from './log-bounds.ts';
import { foundRecord, PartitionReading } from './partition-reading.ts';
import { RecordMasks } from './record-masks.ts';
import { RecordRefused, refusalOf } from './record-refused.ts';
import { recordTest, type TestedRecord } from './record-test.ts';
import { shownRecord } from './shown-record.ts';

interface ReadDeps {
  readonly client: BrowserClient;
  readonly formatter: FormattedRecords;
  readonly inflated: InflatedMemory;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Bytes of one fetch, and of one partition in it. */
const fetchBytesMax = 8 * 1024 * 1024;
const partitionBytesMax = 1024 * 1024;
/** Time of the serving thread after which as much is left to other work. */
const sliceMs = 5;
/** Matches that wait in all partitions together, not counting the first of each. */
const waitingBytesMax = 16 * 1024 * 1024;
const firstWindowOffsetsMax = 32;
const retryMs = 100;
const retriesMax = 20;
const committedOnly = 1;

/** Reads records of a topic as a Kafka consumer of the caller, by the time of records across partitions. */
export async function readRecords(query: ReadRecordsQuery, deps: ReadDeps): Promise<string> {
  const begunMs = deps.clock.monotonicMs();
  const bounds = await logBounds(query, deps.client);
  const read = new RecordsRead(query, bounds, deps, begunMs);
  return await read.run();
}

type Cut = ReadRecords['cut'];

class RecordsRead {
  readonly #query: ReadRecordsQuery;
  readonly #deps: ReadDeps;
  readonly #begunMs: number;
  readonly #endMs: number;
  readonly #readings: readonly PartitionReading[];
  readonly #masks: RecordMasks | undefined;
  readonly #test: ReturnType<typeof recordTest>;
  readonly #answered: string[] = [];
  #answeredBytes = 0;
  #scanned = 0;
  #scannedBytes = 0;
  #matched = 0;
  #sliceEndMs: number;
  #cut: Cut = null;
  #problem: string | null = null;
  #retries = 0;

  constructor(query: ReadRecordsQuery, bounds: readonly LogBounds[], deps: ReadDeps, begunMs: number) {
    const { direction, limit, scanMsMax } = query;
    this.#query = query;
    this.#deps = deps;
    this.#begunMs = begunMs;
    this.#endMs = begunMs + Math.min(scanMsMax, deps.limitMs);
    this.#sliceEndMs = deps.clock.monotonicMs() + sliceMs;
    const { masks = [] } = query;
    this.#masks = masks.length === 0 ? undefined : new RecordMasks(masks);
    this.#test = recordTest(query);
    const count = Math.max(1, bounds.length);
    this.#readings = bounds.map(
      (bound) =>
        new PartitionReading({
          ...bound,
          direction,
          windowOffsets: Math.min(firstWindowOffsetsMax, Math.max(1, Math.ceil(limit / count))),
          waitingMax: limit,
          waitingBytesMax: Math.floor(waitingBytesMax / count),
        }),
    );
  }

  async run(): Promise<string> {
    while (!this.#isFull) {
      const needy = this.#readings.filter(({ isNeedy }) => isNeedy);
      if (needy.length === 0) {
        if (!this.#takeNext()) break;
        continue;
      }
      this.#cut = this.#reachedBound(needy);
      if (this.#cut !== null) break;
      await this.#fetch(needy);
    }
    if (this.#cut !== null && this.#cut !== 'answer_bytes') {
      for (const reading of this.#readings) if (reading.isWithinWindow) reading.dropWindow();
      // What was found is answered, though something that was not looked at may be between.
      while (!this.#isFull && this.#takeNext());
    }
    return this.#print();
  }

  get #isFull(): boolean {
    return this.#answered.length >= this.#query.limit || this.#cut === 'answer_bytes';
  }

  /** A window that was begun is read to its end, unless time runs out, so that every read comes further. */
  #reachedBound(needy: readonly PartitionReading[]): Cut {
    const { signal, clock } = this.#deps;
    signal.throwIfAborted();
    if (clock.monotonicMs() >= this.#endMs) return 'time';
    if (needy.some(({ isWithinWindow }) => isWithinWindow) || this.#scanned === 0) return null;
    if (this.#scanned >= this.#query.scannedRecordsMax) return 'records';
    return this.#scannedBytes >= this.#query.scannedBytesMax ? 'bytes' : null;
  }

  /** Answers the newest or oldest of the records that wait. Returns false if none does. */
  #takeNext(): boolean {
    const sign = this.#query.direction === 'older' ? 1 : -1;
    let best: PartitionReading | undefined;
    for (const reading of this.#readings) {
      const { first } = reading;
      if (first === undefined) continue;
      if (best === undefined || sign * (first.timestampMs - best.first!.timestampMs) > 0) best = reading;
    }
    if (best === undefined) return false;
    const { bytes } = best.first!;
    if (this.#answered.length > 0 && this.#answeredBytes + bytes > gatewayLimits.browsedAnswerBytesMax) {
      this.#cut = 'answer_bytes';
      return false;
    }
    this.#answeredBytes += bytes;
    this.#answered.push(best.take().json);
    return true;
  }

  async #fetch(needy: readonly PartitionReading[]): Promise<void> {
    const { client } = this.#deps;
    const { topic } = this.#query;
    const byPartition = new Map(needy.map((reading) => [reading.partition, reading]));
    let fetchedBytes = 0;
    let isRetried = false;
    await client.use(async (kafka) => {
      const { responses, throttleTimeMs } = await fetch(
        {
          topics: [
            {
              topic,
              partitions: needy.map(({ partition, nextOffset }) => ({
                partition,
                offset: nextOffset,
                bytesMax: partitionBytesMax,
              })),
            },
          ],
          bytesMax: fetchBytesMax,
          waitMs: 0,
          minBytes: 0,
          isolationLevel: committedOnly,
        },
        kafka,
        0,
      );
      for (const { partitions } of responses) {
        for (const fetched of partitions) {
          const reading = byPartition.get(fetched.partitionIndex);
          if (reading === undefined) continue;
          if (fetched.errorCode !== 0) isRetried = this.#failed(reading, fetched.errorCode) || isRetried;
          else fetchedBytes += await this.#scan(reading, fetched);
        }
      }
      if (isRetried || (fetchedBytes === 0 && throttleTimeMs > 0)) {
        await kafka.pause(Math.max(retryMs, Math.min(throttleTimeMs, 1_000)));
        isRetried = true;
      }
    });
    // The first partition that has records is answered with some, so that none of these has any before its end.
    if (fetchedBytes === 0 && !isRetried) for (const reading of needy) reading.fetchedUpTo(reading.windowEnd);
  }

  /** Returns whether the partition may be read later. */
  #failed(reading: PartitionReading, errorCode: number): boolean {
    const { partition } = reading;
    if (errorCode === errors.OFFSET_OUT_OF_RANGE.code) {
      this.#problem ??= `Records of partition ${partition} were deleted while they were read.`;
      reading.giveUp();
      return false;
    }
    if (errorByCode(errorCode)?.retriable === true && this.#retries++ < retriesMax) return true;
    throw refusalOf(errorCode, { act: 'read', topic: this.#query.topic, partition });
  }

  async #scan(reading: PartitionReading, fetched: FetchedPartition): Promise<number> {
    const bytes = bytesOf(fetched);
    if (bytes.length === 0) return 0;
    const progress = { nextOffset: BigInt(reading.nextOffset) };
    let recordBytes = 0;
    try {
      const records = fetchedRecords(bytes, {
        fromOffset: progress.nextOffset,
        aborted: fetched.abortedTransactions ?? [],
        pause: () => this.#deps.client.pause(0),
        progress,
        bytesMax: gatewayLimits.httpFetchInflatedBytesMax,
        inflated: this.#deps.inflated,
      });
      const { windowEnd } = reading;
      for await (const record of records) {
        const offset = Number(record.offset);
        if (offset >= windowEnd) {
          progress.nextOffset = BigInt(windowEnd);
          break;
        }
        if (this.#query.direction === 'newer' && (!reading.hasRoom || this.#isScanOver)) return recordBytes;
        recordBytes += await this.#look(reading, record, offset);
      }
    } catch (error) {
      if (error instanceof HttpProblem) throw new RecordRefused('unavailable', error.message);
      if (!(error instanceof BatchTooLarge)) throw error;
      this.#problem ??= error.message;
      reading.giveUp();
      return bytes.length;
    } finally {
      this.#scannedBytes += Math.max(0, bytes.length - recordBytes);
    }
    reading.fetchedUpTo(Math.min(Number(progress.nextOffset), reading.windowEnd));
    return bytes.length;
  }

  /** Newer records can be left anywhere. */
  get #isScanOver(): boolean {
    const { scannedRecordsMax, scannedBytesMax } = this.#query;
    return this.#scanned >= scannedRecordsMax || this.#scannedBytes >= scannedBytesMax;
  }

  async #look(reading: PartitionReading, record: RecordCursor, offset: number): Promise<number> {
    const { formatter, clock, client, signal } = this.#deps;
    const { key, value } = record;
    const bytes = (key?.length ?? 0) + (value?.length ?? 0);
    this.#scanned++;
    this.#scannedBytes += bytes;
    reading.passed(offset, bytes);
    const payloads = { key, value, headers: record.headers };
    const masks = this.#masks;
    const masked = (name: 'key' | 'value', part: FormattedPart | null) =>
      masks === undefined ? part : masks.part(name, part);
    const tested: TestedRecord = {
      partition: reading.partition,
      record,
      key: once(async () => masked('key', await formatter.part('key', payloads))),
      value: once(async () => masked('value', await formatter.part('value', payloads))),
      headers: masks?.headers(record.headers) ?? record.headers,
      hasMasks: masks !== undefined,
    };
    if (this.#test === undefined || (await this.#test(tested))) {
      this.#matched++;
      reading.add(foundRecord(await shownRecord(tested, this.#query)));
    }
    if (clock.monotonicMs() >= this.#sliceEndMs) {
      signal.throwIfAborted();
      await client.pause(sliceMs);
      this.#sliceEndMs = clock.monotonicMs() + sliceMs;
    }
    return bytes;
  }

  #print(): string {
    const { direction } = this.#query;
    const rest = this.#positions(({ restPosition }) => restPosition);
    const start = this.#positions(({ startPosition }) => startPosition);
    const isOlder = direction === 'older';
    const hasOlder = this.#readings.some(({ isAtLogStart }) => !isAtLogStart);
    const facts: Omit<ReadRecords, 'records'> = {
      kind: 'read',
      scanned: this.#scanned,
      scannedBytes: this.#scannedBytes,
      matched: this.#matched,
      ms: Math.round(this.#deps.clock.monotonicMs() - this.#begunMs),
      older: hasOlder ? (isOlder ? rest : start) : null,
      newer: isOlder ? start : rest,
      cut: this.#cut,
      ...(this.#masks === undefined ? {} : { areMasksApplied: true }),
      problem: this.#problem,
    };
    return `${JSON.stringify(facts).slice(0, -1)},"records":[${this.#answered.join(',')}]}`;
  }

  #positions(of: (reading: PartitionReading) => number): RecordPosition[] {
    return this.#readings.map((reading) => ({ partition: reading.partition, offset: of(reading) }));
  }
}

function once<Result>(find: () => Promise<Result>): () => Promise<Result> {
  let found: Promise<Result> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}
