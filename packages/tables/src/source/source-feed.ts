import { type Feed, type FetchedPartition, type Place, RecordQueue } from '@weir/client';
import { DecodeError } from '@weir/wire';
import type { SourceBatch } from '../ingestion/source.ts';
import { tableLimits } from '../limits.ts';
import type { SourceRecord } from '../rows/row-reader.ts';

/** What a feed reports to its reader. */
interface FeedEvents {
  /** It may have a batch. */
  ready(feed: SourceFeed): void;
  /** It may want more records. */
  hungry(): void;
  /** Its problem is another one, or none. */
  troubled(feed: SourceFeed): void;
  outOfRange(feed: SourceFeed): void;
  /** What follows cannot be read. */
  damaged(feed: SourceFeed, problem: string): void;
  /** The topic is not the one that it began to read. */
  replaced(feed: SourceFeed): void;
}

const noHeaders: SourceRecord['headers'] = [];

/** One partition: what was fetched becomes batches of records. One that is read from elsewhere gets another feed. */
export class SourceFeed implements Feed {
  readonly place: Place;
  position: number | undefined;
  brokerId: number | undefined;
  notBeforeMs = 0;
  readonly #events: FeedEvents;
  readonly #queue: RecordQueue;
  #topicId = '';
  #problem: string | undefined;
  #endOffset = 0n;
  /** Up to here batches were handed out. */
  #passedOffset: number;
  #wasFull = false;
  #isRevoked = false;

  constructor(place: Place, position: number, events: FeedEvents) {
    this.place = place;
    this.position = position;
    this.#events = events;
    this.#passedOffset = position;
    this.#queue = new RecordQueue(position, () => this.#noteRoom());
  }

  get topicId(): string {
    return this.#topicId;
  }

  set topicId(topicId: string) {
    const isReplaced = this.#topicId !== '' && this.#topicId !== topicId;
    this.#topicId = topicId;
    if (isReplaced) this.#events.replaced(this);
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  set problem(problem: string | undefined) {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#events.troubled(this);
  }

  get lag(): number {
    return Math.max(0, Number(this.#endOffset) - (this.position ?? 0));
  }

  get queuedBytes(): number {
    return this.#queue.queuedBytes;
  }

  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  wantsRecords(nowMs: number): boolean {
    const isFull = this.queuedBytes >= tableLimits.sourceQueueBytesMax;
    this.#wasFull ||= isFull;
    return !isFull && nowMs >= this.notBeforeMs;
  }

  revoke(): void {
    this.#isRevoked = true;
    this.#queue.clear();
  }

  /** Not called: it always has a position. */
  begin(): void {}

  readonly outOfRange = () => this.#events.outOfRange(this);

  add(fetched: FetchedPartition, offset: number): void {
    if (this.#isRevoked || this.position !== offset) return;
    const { lastStableOffset, highWatermark } = fetched;
    this.#endOffset = lastStableOffset < 0n ? highWatermark : lastStableOffset;
    const { nextOffset, damage } = this.#queue.add(fetched, offset);
    this.position = nextOffset;
    if (!this.#queue.isEmpty) this.#events.ready(this);
    if (damage !== undefined) this.#events.damaged(this, damage);
  }

  /** The next batch; `undefined` if nothing waits. */
  take(): SourceBatch | undefined {
    if (this.#isRevoked || this.#queue.isEmpty) return undefined;
    const { sourceBatchRecordsMax, sourceBatchBytesMax } = tableLimits;
    const { partition } = this.place;
    const queue = this.#queue;
    const records: SourceRecord[] = [];
    let bytes = 0;
    let damage: string | undefined;
    try {
      while (records.length < sourceBatchRecordsMax && bytes < sourceBatchBytesMax) {
        const cursor = queue.next();
        if (cursor === undefined) break;
        records.push({
          partition,
          offset: BigInt(queue.offset),
          timestampMs: cursor.timestampMs,
          key: cursor.key,
          value: cursor.value,
          headers:
            cursor.headerCount === 0
              ? noHeaders
              : cursor.headers.map(({ key, value }): readonly [string, Uint8Array | null] => [key, value]),
        });
        bytes += cursor.recordBytes;
        queue.take();
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      damage = error.message;
      queue.clear();
      this.position = queue.readOffset;
    }
    if (damage !== undefined) this.#events.damaged(this, damage);
    const nextOffset = queue.readOffset;
    if (nextOffset === this.#passedOffset) return undefined;
    this.#passedOffset = nextOffset;
    const next = BigInt(nextOffset);
    const endOffset = this.#endOffset > next ? this.#endOffset : next;
    return { kind: 'batch', partition, records, nextOffset: next, endOffset };
  }

  get hasMore(): boolean {
    return !this.#queue.isEmpty;
  }

  #noteRoom(): void {
    const hasRoom = this.queuedBytes < tableLimits.sourceQueueBytesMax;
    if (!(hasRoom && this.#wasFull) && this.queuedBytes > 0) return;
    this.#wasFull = false;
    this.#events.hungry();
  }
}
