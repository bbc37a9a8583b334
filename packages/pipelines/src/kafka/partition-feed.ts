import { type Feed, type FetchedPartition, type Place, RecordQueue } from '@weir/client';
import { DecodeError } from '@weir/wire';
import type { Delivery } from '../component/instances.ts';
import type { Message } from '../component/message.ts';
import type { BatchPolicy } from '../engine/batch-policy.ts';
import { Checkpointer } from './checkpointer.ts';
import { messageOf } from './record-message.ts';
import type { RecordMetadataOptions } from './record-metadata.ts';

export interface FeedOptions extends Omit<RecordMetadataOptions, 'topic' | 'partition'> {
  /** Messages of a partition that may be unsettled. */
  readonly checkpointLimit: number;
  /** Never exceeds the limit, except for a batch alone. Otherwise the last batch may. */
  readonly isLimitStrict: boolean;
  /** Fetched bytes that may wait. */
  readonly bytesMax: number;
  /** Whether a message that was not written is dropped. */
  isDropped(): boolean;
}

/** What a feed reports to the input. */
interface FeedEvents {
  /** It may have a delivery. */
  ready(feed: PartitionFeed): void;
  /** It may want more records. */
  hungry(): void;
  /** What follows cannot be read. */
  damaged(feed: PartitionFeed, offset: number, problem: string): void;
}

/**
 * The records of one partition, from the fetched bytes to deliveries in the order of offsets. A partition that is
 * assigned a second time gets another feed, so that what is settled late counts for nothing.
 */
export class PartitionFeed implements Feed {
  readonly place: Place;
  /** Absent if the cluster has to be asked where to begin. */
  position: number | undefined;
  /** The broker to read from; absent if it has to be looked up. */
  brokerId: number | undefined;
  topicId = '';
  /** Nothing is fetched before. */
  notBeforeMs = 0;
  problem: string | undefined;
  readonly #checkpointer = new Checkpointer();
  readonly #options: FeedOptions;
  readonly #metadataOptions: RecordMetadataOptions;
  readonly #policy: BatchPolicy | undefined;
  readonly #events: FeedEvents;
  readonly #after: (delayMs: number, run: () => void) => () => void;
  /** Everything before what it reads next was delivered or is gathered. */
  readonly #queue: RecordQueue;
  /** A batch that waits until there is room for it. */
  #complete: readonly Message[] | undefined;
  #highWatermark = 0;
  #isPeriodOver = false;
  #cancelPeriod: (() => void) | undefined;
  #committed: number | undefined;
  #isRevoked = false;
  #hadRoom = true;

  constructor(
    place: Place,
    position: number | undefined,
    options: FeedOptions,
    policy: BatchPolicy | undefined,
    events: FeedEvents,
    after: (delayMs: number, run: () => void) => () => void,
  ) {
    this.place = place;
    this.position = position;
    this.#queue = new RecordQueue(position ?? 0, () => this.#noteRoom());
    this.#options = options;
    this.#metadataOptions = { ...options, ...place };
    this.#policy = policy;
    this.#events = events;
    this.#after = after;
  }

  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  get policy(): BatchPolicy | undefined {
    return this.#policy;
  }

  /** How many records it was behind when it was fetched last. */
  get lag(): number {
    return Math.max(0, this.#highWatermark - (this.position ?? 0));
  }

  get queuedBytes(): number {
    return this.#queue.queuedBytes;
  }

  /** Whether it should be fetched. */
  wantsRecords(nowMs: number): boolean {
    return nowMs >= this.notBeforeMs && this.#hasRoom;
  }

  get #hasRoom(): boolean {
    return (
      this.queuedBytes < this.#options.bytesMax &&
      this.#checkpointer.pendingCount < this.#options.checkpointLimit
    );
  }

  /** Whether it delivers nothing until messages are settled. */
  get isHeldBack(): boolean {
    if (this.#isRevoked) return false;
    if (this.#checkpointer.pendingCount >= this.#options.checkpointLimit) return true;
    return this.#complete !== undefined && !this.#hasRoomFor(this.#complete.length);
  }

  /** Says that it has room when that is new. */
  #noteRoom(): void {
    const hasRoom = this.#hasRoom;
    if (hasRoom && !this.#hadRoom) this.#events.hungry();
    this.#hadRoom = hasRoom;
  }

  /** The offset to commit, if it is another than the last one. */
  get committable(): number | undefined {
    const { released } = this.#checkpointer;
    return released === this.#committed ? undefined : released;
  }

  committed(offset: number): void {
    this.#committed = offset;
  }

  /** It belongs to another reader now: what is left is dropped. */
  revoke(): void {
    this.#isRevoked = true;
    this.#cancelPeriod?.();
    this.#queue.clear();
    this.#complete = undefined;
    this.#policy?.take();
    void this.#policy?.chain.close?.();
  }

  /** Goes on elsewhere: where the cluster says that the partition begins or ends. */
  begin(position: number): void {
    this.position = position;
    this.#queue.restart(position);
  }

  /** Adds what was fetched from `offset`. */
  add(fetched: FetchedPartition, offset: number): void {
    if (this.#isRevoked || this.position !== offset) return;
    this.#highWatermark = Number(fetched.highWatermark);
    const { nextOffset, damage } = this.#queue.add(fetched, offset);
    if (damage !== undefined) this.#events.damaged(this, nextOffset, damage);
    this.position = nextOffset;
    this.#noteRoom();
    if (!this.#queue.isEmpty) this.#events.ready(this);
  }

  /** The next delivery; `undefined` if there is none now. */
  next(): Delivery | undefined {
    if (this.#isRevoked) return undefined;
    if (this.#checkpointer.pendingCount >= this.#options.checkpointLimit) return undefined;
    if (this.#policy === undefined) {
      const message = this.#message();
      if (message !== undefined) return this.#delivery([message]);
      this.#skip();
      return undefined;
    }
    this.#complete ??= this.#gathered(this.#policy);
    const batch = this.#complete;
    if (batch === undefined || !this.#hasRoomFor(batch.length)) return undefined;
    this.#complete = undefined;
    return this.#delivery(batch);
  }

  /** A batch alone may be larger than the limit. */
  #hasRoomFor(messageCount: number): boolean {
    const { checkpointLimit, isLimitStrict } = this.#options;
    const { pendingCount } = this.#checkpointer;
    return !isLimitStrict || pendingCount === 0 || pendingCount + messageCount <= checkpointLimit;
  }

  /** A complete batch, as far as there are records for one. */
  #gathered(policy: BatchPolicy): readonly Message[] | undefined {
    while (!this.#isPeriodOver) {
      const message = this.#message();
      if (message === undefined) {
        if (policy.isEmpty) this.#skip();
        return undefined;
      }
      const isFirst = policy.isEmpty;
      if (policy.add([message])) break;
      if (isFirst) this.#beginPeriod(policy);
    }
    this.#isPeriodOver = false;
    this.#cancelPeriod?.();
    this.#cancelPeriod = undefined;
    return policy.isEmpty ? undefined : policy.take();
  }

  #delivery(batch: readonly Message[]): Delivery {
    const settle = this.#checkpointer.track(batch.length, this.#queue.readOffset);
    this.#noteRoom();
    return {
      batch,
      settle: (error) => {
        if (error !== undefined && !this.#options.isDropped()) return;
        settle();
        if (this.#isRevoked) return;
        if (!this.#queue.isEmpty || this.#complete !== undefined) this.#events.ready(this);
        this.#noteRoom();
      },
    };
  }

  /** There were no messages where it reads, such as at the end of a transaction. */
  #skip(): void {
    const { released = 0 } = this.#checkpointer;
    const { readOffset } = this.#queue;
    if (readOffset > released) this.#checkpointer.skipTo(readOffset);
  }

  #beginPeriod(policy: BatchPolicy): void {
    const periodMs = policy.periodMs();
    if (periodMs === undefined) return;
    this.#cancelPeriod = this.#after(periodMs, () => {
      this.#isPeriodOver = true;
      this.#events.ready(this);
    });
  }

  #message(): Message | undefined {
    const queue = this.#queue;
    try {
      const cursor = queue.next();
      if (cursor === undefined) return undefined;
      const index = this.#policy?.messageCount ?? 0;
      const message = messageOf(cursor, queue.offset, this.#highWatermark, index, this.#metadataOptions);
      queue.take();
      return message;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const offset = queue.readOffset;
      queue.clear();
      this.position = offset;
      this.#events.damaged(this, offset, error.message);
      return undefined;
    }
  }
}
