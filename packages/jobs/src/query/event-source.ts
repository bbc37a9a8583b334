import type { ClusterView, DamageRegistry } from '@weir/broker';
import {
  BatchCursor,
  brokerLimits,
  DamagedRange,
  inflatedBytesMax,
  NoRecordBatch,
  RangeWalk,
} from '@weir/broker';
import { type EventTypeName, eventTopicName } from '@weir/events/emission';
import { eventLimits } from '@weir/events/limits';
import { decompressRecordsOffThread, type RecordBatchView } from '@weir/wire';
import { jobLimits } from '../limits.ts';
import type { CpuShare } from './cpu-share.ts';
import type { ByteRange, EventSource, EventTopic, RawPage, SidecarRef } from './engine.ts';
import { PageBuilder } from './page-builder.ts';
import type { RangeReader } from './range-reader.ts';
import { readAhead } from './readahead.ts';
import type { SidecarShelf } from './sidecar-shelf.ts';
import { eventPartition, type StoredRange, storedRanges } from './stored-ranges.ts';

interface AgentEventSourceOptions {
  readonly view: Pick<ClusterView, 'topicByName' | 'ends' | 'recentPointers' | 'dropRecentPointers' | 'port'>;
  readonly ranges: RangeReader;
  readonly sidecars: Pick<SidecarShelf, 'covering' | 'read'>;
  readonly turns: CpuShare;
  /** Receives files that cannot be read. */
  readonly damage?: Pick<DamageRegistry, 'found'>;
}

/**
 * How late an event may be written. Agents write an event within seconds and give it up after some tries, and clocks
 * differ by less. An event of the control plane waits for an agent that fetches it, which may take some minutes.
 */
const latenessMsMax = 3_600_000;

/**
 * The events of a cluster as its agents read them: topics from the metadata, records from the bucket or from memory.
 */
export class AgentEventSource implements EventSource {
  readonly latenessMsMax = latenessMsMax;
  readonly #options: AgentEventSourceOptions;

  constructor(options: AgentEventSourceOptions) {
    this.#options = options;
  }

  async topics(types: readonly EventTypeName[]): Promise<readonly EventTopic[]> {
    const { view } = this.#options;
    return types.flatMap((type) => {
      const topicId = view.topicByName(eventTopicName(type))?.topicId;
      const ends = topicId === undefined ? undefined : view.ends(topicId, eventPartition);
      if (topicId === undefined || ends === undefined) return [];
      return [{ type, topicId, startOffset: ends.logStartOffset, endOffset: ends.nextOffset }];
    });
  }

  async offsetAt({ topicId, startOffset, endOffset }: EventTopic, timeMs: number): Promise<number> {
    const { port } = this.#options.view;
    const query = { topicId, partition: eventPartition, want: 'first', timestampMs: timeMs } as const;
    const [answer] = await port.findOffsets([query]);
    const { error, pointers } = answer!;
    // A topic that was deleted meanwhile has no events.
    if (error !== 'NONE' || pointers.fileId.length === 0) return endOffset;
    return Math.min(endOffset, Math.max(startOffset, pointers.baseOffset[0]!));
  }

  async *read(
    topic: EventTopic,
    fromOffset: number,
    toOffset: number,
    signal: AbortSignal,
  ): AsyncGenerator<RawPage, void, undefined> {
    const { view, damage } = this.#options;
    const { topicId } = topic;
    const builder = new PageBuilder();
    let from = fromOffset;
    let missingAt = -1;
    try {
      for (;;) {
        const missing = yield* this.#readUntilMissing(topicId, from, toOffset, builder, signal);
        if (missing === undefined) break;
        const { baseOffset, nextOffset } = missing;
        if (baseOffset === missingAt) {
          this.#checkRemoved(topicId, missing);
          from = nextOffset;
          continue;
        }
        // A compaction may have replaced the file since the view learned of it; the leader knows the new one.
        missingAt = baseOffset;
        from = Math.max(from, baseOffset);
        view.dropRecentPointers(topicId, eventPartition, nextOffset);
      }
      if (!builder.isEmpty) yield builder.take();
    } catch (error) {
      if (error instanceof DamagedRange) damage?.found(topicId, eventPartition, error);
      throw error;
    }
  }

  /** Returns the first range whose file does not exist, or `undefined` at the end. */
  async *#readUntilMissing(
    topicId: string,
    fromOffset: number,
    toOffset: number,
    builder: PageBuilder,
    signal: AbortSignal,
  ): AsyncGenerator<RawPage, StoredRange | undefined, undefined> {
    const { view, ranges, turns } = this.#options;
    // A consumer that has enough stops iterating; abort what was read ahead for it.
    const enough = new AbortController();
    const reading = AbortSignal.any([signal, enough.signal]);
    const stored = readAhead(
      storedRanges(view, topicId, fromOffset, toOffset),
      (range) => ranges.read(range, reading),
      {
        countMax: eventLimits.queryReadsMax,
        bytesMax: eventLimits.queryReadAheadBytesMax,
        bytesOf: ({ byteStart, byteEnd }) => byteEnd - byteStart,
      },
    );
    try {
      for await (const { item: range, content } of stored) {
        signal.throwIfAborted();
        if (content === undefined) return range;
        for (const { baseOffset, cursor } of batchesOf(content, range, fromOffset, toOffset)) {
          if (!builder.isEmpty && (builder.isFull || builder.nextOffset !== baseOffset)) yield builder.take();
          const batch = cursor.batch();
          // One batch at a time: event batches have about half a megabyte. Larger ones are decompressed in another
          // thread.
          const decompressed = isLarge(batch) ? await decompressLarge(batch, turns) : undefined;
          yield* await turns.run(() => builder.add(batch, baseOffset, decompressed));
          signal.throwIfAborted();
        }
      }
      return undefined;
    } finally {
      enough.abort();
    }
  }

  async storedBytes({ topicId }: EventTopic, fromOffset: number, toOffset: number): Promise<number> {
    let bytes = 0;
    for await (const { byteStart, byteEnd } of storedRanges(
      this.#options.view,
      topicId,
      fromOffset,
      toOffset,
    ))
      bytes += byteEnd - byteStart;
    return bytes;
  }

  sidecars(topic: EventTopic, fromOffset: number, toOffset: number): Promise<readonly SidecarRef[]> {
    return this.#options.sidecars.covering(topic.topicId, fromOffset, toOffset);
  }

  readSidecar(
    ref: SidecarRef,
    ranges: readonly ByteRange[],
    signal: AbortSignal,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    return this.#options.sidecars.read(ref, ranges, signal);
  }

  /** A file may be missing only because retention removed its records. */
  #checkRemoved(topicId: string, range: StoredRange): void {
    const startOffset = this.#options.view.ends(topicId, eventPartition)?.logStartOffset;
    if (startOffset !== undefined && startOffset < range.nextOffset)
      throw walkOf(range).damaged('missing', 'object not found');
  }
}

function isLarge(batch: RecordBatchView): boolean {
  return inflatedBytesMax(batch) > brokerLimits.inflatedPerTurnBytesMax;
}

function decompressLarge(batch: RecordBatchView, turns: CpuShare): Promise<Buffer> {
  const pause = () => turns.run(() => {});
  return decompressRecordsOffThread(batch, jobLimits.eventBatchInflatedBytesMax, { pause });
}

/** Iterates over the batches of a range, each of them intact; throws a `DamagedRange` at the first one that is not. */
function* batchesOf(
  pieces: readonly Buffer[],
  range: StoredRange,
  fromOffset: number,
  toOffset: number,
): Generator<{ readonly baseOffset: number; readonly cursor: BatchCursor }, void, undefined> {
  const walk = walkOf(range);
  const cursor = new BatchCursor(pieces);
  while (walk.at < walk.end && walk.offset < toOffset) {
    if (!isNext(cursor, walk)) throw walk.damaged('short', 'truncated file');
    walk.checkPosition(cursor);
    if (!cursor.hasValidCrc()) throw walk.damaged('corrupt', 'CRC mismatch in a batch');
    const baseOffset = walk.baseOffsetOf(cursor);
    // A control batch has no records of a client.
    if (baseOffset + cursor.offsetSpan > fromOffset && !cursor.header.isControl) yield { baseOffset, cursor };
    walk.pass(cursor);
  }
}

/** Returns false if the bytes end inside the next batch. */
function isNext(cursor: BatchCursor, walk: RangeWalk): boolean {
  try {
    return cursor.next() && cursor.isWhole;
  } catch (error) {
    if (error instanceof NoRecordBatch) throw walk.damaged('corrupt', error.message);
    throw error;
  }
}

function walkOf({ fileId, byteStart, byteEnd, baseOffset, nextOffset }: StoredRange): RangeWalk {
  const pointers = {
    fileId: [fileId],
    byteStart: Float64Array.of(byteStart),
    byteLength: Float64Array.of(byteEnd - byteStart),
    baseOffset: Float64Array.of(baseOffset),
    nextOffset: Float64Array.of(nextOffset),
  };
  return new RangeWalk(pointers, 0);
}
