import type { EventTypeName } from './event-types.ts';

/** What the engine asks of whoever has the events. Nothing here changes while a query runs except that retention may cut the front. */
export interface EventSource {
  /**
   * How much later than its time an event may be appended at most: what lies at or behind `offsetAt(topic, timeMs)` is not earlier than `timeMs`
   * less this. The engine leaves out what was appended longer after the end of a window. `Infinity` where nothing is known; windows in the past
   * are then read up to the end of the topic, sidecars apart.
   */
  readonly latenessMsMax: number;

  /** The topics of these types, without those that do not exist yet. */
  topics(types: readonly EventTypeName[]): Promise<readonly EventTopic[]>;

  /**
   * An offset such that every event of the topic with a time of at least `timeMs` lies at or behind it; `endOffset` if there is none. It may be
   * lower than it needs to be, and is never higher.
   */
  offsetAt(topic: EventTopic, timeMs: number): Promise<number>;

  /**
   * The records of a range in order of their offsets, as pages of one batch or several. Pages may reach out of the range on both sides; the
   * engine cuts them. Offsets that retention removed meanwhile are left out. A page belongs to the engine once it was handed over: it may move
   * its buffers to another thread, so they must not be shared with a cache (copy, or decompress for it). Ends with the signal's reason.
   */
  read(topic: EventTopic, fromOffset: number, toOffset: number, signal: AbortSignal): AsyncIterable<RawPage>;

  /** What reading a range would read from the store, from metadata alone. */
  storedBytes(topic: EventTopic, fromOffset: number, toOffset: number): Promise<number>;

  /** The sidecars that cover a part of the range, by offset. They do not overlap each other, and may leave gaps. */
  sidecars(topic: EventTopic, fromOffset: number, toOffset: number): Promise<readonly SidecarRef[]>;

  /** The bytes of parts of a sidecar, one per range and in their order. The buffers belong to the engine. */
  readSidecar(
    ref: SidecarRef,
    ranges: readonly ByteRange[],
    signal: AbortSignal,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]>;
}

export interface EventTopic {
  readonly type: EventTypeName;
  /** Of the topic and not of its name, which another topic may get. */
  readonly topicId: string;
  /** The first offset that is still there. */
  readonly startOffset: number;
  /** The offset of the next event. What lies before it never changes. */
  readonly endOffset: number;
}

/** Records as columns over the decompressed bytes of their batch. Record `i` has the offset `firstOffset + i`. */
export interface RawPage {
  readonly firstOffset: number;
  readonly timesMs: Float64Array<ArrayBuffer>;
  /** Where the values lie: UTF-8 JSON, made by the serializer of record.ts. A record without a value has equal ends. */
  readonly valueStarts: Uint32Array<ArrayBuffer>;
  readonly valueEnds: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What had to be read from the store for it, for the receipt. */
  readonly storedBytes: number;
}

/** A columnar file over a range of offsets of one topic; docs/reference/event-sidecar.md. */
export interface SidecarRef {
  /** Unique among all sidecars, ever: the key of caches. */
  readonly id: string;
  readonly fromOffset: number;
  readonly toOffset: number;
  /** The earliest and the latest time of its events. `buildSidecar` gives them. */
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly byteLength: number;
}

/** The end does not belong to it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
