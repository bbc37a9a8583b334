import type { EventSource, EventTopic, RawPage, SidecarRef } from '../src/event-source.ts';
import type { EventTypeName } from '../src/event-types.ts';
import { buildSidecar } from '../src/sidecar/build-sidecar.ts';

export interface MemoryRecord {
  readonly timeMs: number;
  /** The value of the record. */
  readonly text: string;
}

export interface MemoryTopic {
  readonly type: EventTypeName;
  readonly records: readonly MemoryRecord[];
  /** The offset of the first of them. */
  readonly startOffset: number;
  /** The sizes of the batches, used in rotation. */
  readonly batchSizes: readonly number[];
  /** The offset ranges of sidecars, ascending. */
  readonly sidecars: readonly { readonly from: number; readonly to: number }[];
}

interface MemoryEventsOptions {
  readonly topics: readonly MemoryTopic[];
  readonly latenessMsMax?: number;
  readonly stripeEvents?: number;
}

/** The calls that a source received. */
interface MemoryCalls {
  pagesRead: number;
  sidecarBytesRead: number;
  readonly reads: { readonly type: EventTypeName; readonly from: number; readonly to: number }[];
}

/**
 * Events in memory, with batches and sidecars as given. Between the values of a batch are other bytes, as in the log.
 */
export async function createMemoryEvents({
  topics,
  latenessMsMax = Number.POSITIVE_INFINITY,
  stripeEvents = 16,
}: MemoryEventsOptions): Promise<
  EventSource & { readonly calls: MemoryCalls; readonly files: Map<string, Buffer> }
> {
  const calls: MemoryCalls = { pagesRead: 0, sidecarBytesRead: 0, reads: [] };
  const logs = new Map(topics.map((topic) => [topic.type, batchesOf(topic)]));
  const files = new Map<string, Buffer>();
  const refs = new Map<EventTypeName, SidecarRef[]>();
  const logOf = ({ type }: EventTopic) => logs.get(type)!;

  const source: EventSource = {
    latenessMsMax,
    async topics(types) {
      return topics
        .filter(({ type }) => types.includes(type))
        .map(({ type, startOffset, records }) => ({
          type,
          topicId: `topic-${type}`,
          startOffset,
          endOffset: startOffset + records.length,
        }));
    },
    async offsetAt(topic, timeMs) {
      const batch = logOf(topic).find(({ records }) => records.some((record) => record.timeMs >= timeMs));
      return batch?.firstOffset ?? topic.endOffset;
    },
    async *read(topic, from, to, signal) {
      calls.reads.push({ type: topic.type, from, to });
      for (const { firstOffset, records } of logOf(topic)) {
        signal.throwIfAborted();
        if (firstOffset >= to || firstOffset + records.length <= from) continue;
        calls.pagesRead++;
        yield pageOf(firstOffset, records);
      }
    },
    async storedBytes(topic, from, to) {
      return logOf(topic)
        .filter(({ firstOffset, records }) => firstOffset < to && firstOffset + records.length > from)
        .reduce((sum, { firstOffset, records }) => sum + pageOf(firstOffset, records).storedBytes, 0);
    },
    async sidecars({ type }, from, to) {
      return (refs.get(type) ?? []).filter((ref) => ref.toOffset > from && ref.fromOffset < to);
    },
    async readSidecar({ id }, ranges, signal) {
      signal.throwIfAborted();
      return ranges.map(({ start, end }) => {
        calls.sidecarBytesRead += end - start;
        return Uint8Array.from(files.get(id)!.subarray(start, end));
      });
    },
  };

  for (const { type, sidecars } of topics) {
    const [topic] = await source.topics([type]);
    refs.set(type, []);
    for (const { from, to } of sidecars) {
      const { signal } = new AbortController();
      const pieces: Uint8Array[] = [];
      const pages = source.read(topic!, from, to, signal);
      const options = { fromOffset: from, toOffset: to, signal, stripeEvents };
      const built = await buildSidecar(pages, { ...options, write: (piece) => void pieces.push(piece) });
      if (built === undefined) continue;
      const id = `${type}-${from}`;
      files.set(id, Buffer.concat(pieces));
      refs.get(type)!.push({ id, ...built });
    }
  }
  calls.reads.length = 0;
  calls.pagesRead = 0;
  return { ...source, calls, files };
}

interface Batch {
  readonly firstOffset: number;
  readonly records: readonly MemoryRecord[];
}

export function batchesOf({ records, startOffset, batchSizes }: MemoryTopic): Batch[] {
  const batches: Batch[] = [];
  let from = 0;
  for (let turn = 0; from < records.length; turn++) {
    const size = batchSizes[turn % batchSizes.length]!;
    batches.push({ firstOffset: startOffset + from, records: records.slice(from, from + size) });
    from += size;
  }
  return batches;
}

/** Bytes between values, which no filter may find. */
const frame = Buffer.from('"a":"frame"');

export function pageOf(firstOffset: number, records: readonly MemoryRecord[]): RawPage {
  const values = records.map(({ text }) => Buffer.from(text));
  const valueStarts = new Uint32Array(records.length);
  const valueEnds = new Uint32Array(records.length);
  let place = 0;
  values.forEach((value, index) => {
    valueStarts[index] = place + frame.length;
    place += frame.length + value.length;
    valueEnds[index] = place;
  });
  const bytes = Uint8Array.from(Buffer.concat(values.flatMap((value) => [frame, value])));
  const timesMs = Float64Array.from(records, ({ timeMs }) => timeMs);
  return { firstOffset, timesMs, valueStarts, valueEnds, bytes, storedBytes: bytes.length };
}
