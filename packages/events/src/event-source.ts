import type { EventTypeName } from './event-types.ts';

/**
 * What the query engine needs from the store of events. Data is immutable while a query runs, except that retention may
 * remove a prefix.
 */
export interface EventSource {
  /**
   * The maximum delay between the time of an event and its append: events at or after `offsetAt(topic, timeMs)` are not
   * earlier than `timeMs` minus this. The engine skips what was appended longer than this after the end of a window.
   * `Infinity` if unknown; then windows in the past are read to the end of the topic, except where sidecars cover it.
   */
  readonly latenessMsMax: number;

  /** Returns the topics of these types that exist. */
  topics(types: readonly EventTypeName[]): Promise<readonly EventTopic[]>;

  /**
   * Returns an offset such that every event of the topic with a time of at least `timeMs` is at or after it;
   * `endOffset` if there is none. It may be lower than necessary, never higher.
   */
  offsetAt(topic: EventTopic, timeMs: number): Promise<number>;

  /**
   * Returns the records of a range in order of offset, as pages of one or more batches. Pages may extend beyond the
   * range on both sides; the engine trims them. Offsets that retention removed meanwhile are skipped. The engine owns a
   * page once it is returned: it may transfer the buffers to another thread, so they must not be shared with a cache
   * (copy, or decompress for it). Ends with the signal's reason.
   */
  read(topic: EventTopic, fromOffset: number, toOffset: number, signal: AbortSignal): AsyncIterable<RawPage>;

  /** Returns how many bytes reading a range would read from the store, from metadata alone. */
  storedBytes(topic: EventTopic, fromOffset: number, toOffset: number): Promise<number>;

  /** Returns the sidecars that cover a part of the range, by offset. They do not overlap and may leave gaps. */
  sidecars(topic: EventTopic, fromOffset: number, toOffset: number): Promise<readonly SidecarRef[]>;

  /** Reads parts of a sidecar; one result per range, in the same order. The engine owns the buffers. */
  readSidecar(
    ref: SidecarRef,
    ranges: readonly ByteRange[],
    signal: AbortSignal,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]>;
}

export interface EventTopic {
  readonly type: EventTypeName;
  /** Identifies the topic, not its name: a later topic may have the same name. */
  readonly topicId: string;
  /** The first offset that still exists. */
  readonly startOffset: number;
  /** The offset of the next event. Everything before it is immutable. */
  readonly endOffset: number;
}

/** Records as columns over the decompressed bytes of their batch. Record `i` has the offset `firstOffset + i`. */
export interface RawPage {
  readonly firstOffset: number;
  readonly timesMs: Float64Array<ArrayBuffer>;
  /**
   * Positions of the values: UTF-8 JSON from the serializer in record.ts. A record without a value has equal start and
   * end.
   */
  readonly valueStarts: Uint32Array<ArrayBuffer>;
  readonly valueEnds: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes read from the store for this page, for the query stats. */
  readonly storedBytes: number;
}

/** A columnar file over a range of offsets of one topic; docs/reference/event-sidecar.md. */
export interface SidecarRef {
  /** Unique among all sidecars, forever; used as a cache key. */
  readonly id: string;
  readonly fromOffset: number;
  readonly toOffset: number;
  /** The earliest and the latest time of its events, as `buildSidecar` returns them. */
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  readonly byteLength: number;
}

/** The end is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
