/** A topic in memory, as the source of a table. */

import type {
  Source,
  SourceEvent,
  SourcePartition,
  SourceReader,
  SourceTopic,
} from '../src/ingestion/source.ts';
import type { SourceRecord } from '../src/rows/row-reader.ts';

interface Log {
  logStart: bigint;
  records: SourceRecord[];
  /** The offset after the last record. */
  end: bigint;
}

export class MemoryTopic implements Source {
  topicId: string | undefined = 'topic-1';
  readonly #logs = new Map<number, Log>();
  readonly #readers = new Set<MemoryReader>();
  readonly batchRecordsMax: number;

  constructor(partitionCount: number, batchRecordsMax = 7) {
    this.batchRecordsMax = batchRecordsMax;
    for (let partition = 0; partition < partitionCount; partition++) this.#add(partition);
  }

  #add(partition: number): void {
    this.#logs.set(partition, { logStart: 0n, records: [], end: 0n });
  }

  addPartition(): void {
    this.#add(this.#logs.size);
    for (const reader of this.#readers) reader.tellNewPartition(this.#logs.size - 1);
  }

  write(partition: number, value: string | null, parts: Partial<SourceRecord> = {}): void {
    const log = this.log(partition);
    const record: SourceRecord = {
      partition,
      offset: log.end,
      timestampMs: 1_700_000_000_000 + Number(log.end),
      key: null,
      value: value === null ? null : Buffer.from(value),
      headers: [],
      ...parts,
    };
    log.records.push(record);
    log.end = record.offset + 1n;
    this.wake();
  }

  /** Deletes the records before an offset. */
  deleteBefore(partition: number, offset: bigint): void {
    const log = this.log(partition);
    log.logStart = offset;
    log.records = log.records.filter((record) => record.offset >= offset);
  }

  log(partition: number): Log {
    return this.#logs.get(partition)!;
  }

  get partitionCount(): number {
    return this.#logs.size;
  }

  async describe(): Promise<SourceTopic> {
    return {
      topicId: this.topicId,
      partitions: [...this.#logs.keys()].map((partition) => this.bounds(partition)),
    };
  }

  bounds(partition: number): SourcePartition {
    const { logStart, end } = this.log(partition);
    return { partition, logStart, endOffset: end };
  }

  open(positions: ReadonlyMap<number, bigint>): SourceReader {
    const reader = new MemoryReader(this, positions, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }

  wake(): void {
    for (const reader of this.#readers) reader.wake();
  }
}

class MemoryReader implements SourceReader {
  readonly #topic: MemoryTopic;
  readonly #positions: Map<number, bigint>;
  readonly #onClosed: () => void;
  readonly #newPartitions: number[] = [];
  #waiting: { resolve: (event: SourceEvent) => void; reject: (error: Error) => void } | undefined;
  #isClosed = false;

  constructor(topic: MemoryTopic, positions: ReadonlyMap<number, bigint>, onClosed: () => void) {
    this.#topic = topic;
    this.#positions = new Map(positions);
    this.#onClosed = onClosed;
  }

  next(): Promise<SourceEvent> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.wake();
    });
  }

  seek(partition: number, offset: bigint): void {
    this.#positions.set(partition, offset);
    this.wake();
  }

  stop(partition: number): void {
    this.#positions.delete(partition);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onClosed();
    this.wake();
  }

  tellNewPartition(partition: number): void {
    this.#newPartitions.push(partition);
    this.wake();
  }

  wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    if (this.#isClosed) {
      this.#waiting = undefined;
      waiting.reject(new Error('the reader was closed'));
      return;
    }
    const event = this.#event();
    if (event === undefined) return;
    this.#waiting = undefined;
    waiting.resolve(event);
  }

  #event(): SourceEvent | undefined {
    if (this.#newPartitions.length > 0)
      return {
        kind: 'new-partitions',
        partitions: this.#newPartitions.splice(0).map((one) => this.#topic.bounds(one)),
      };
    for (const [partition, position] of this.#positions) {
      const { logStart, records, end } = this.#topic.log(partition);
      if (position < logStart || position > end) {
        this.#positions.delete(partition);
        return { kind: 'out-of-range', ...this.#topic.bounds(partition) };
      }
      if (position === end) continue;
      const found = records.filter(({ offset }) => offset >= position).slice(0, this.#topic.batchRecordsMax);
      const nextOffset = found.length === 0 ? end : found.at(-1)!.offset + 1n;
      // To the end, so that partitions take turns.
      this.#positions.delete(partition);
      this.#positions.set(partition, nextOffset);
      return { kind: 'batch', partition, records: found, nextOffset, endOffset: end };
    }
    return undefined;
  }
}
