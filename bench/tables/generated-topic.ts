/** A topic in this process, whose records are made before: reading it costs next to nothing. */
import { systemClock } from '@weir/core';
import type { Source, SourceEvent, SourceReader, SourceRecord } from '@weir/tables';

/** Ten columns of the kinds that events have. */
export const benchFields = [
  { name: 'id', type: 'long' },
  { name: 'customer', type: 'string' },
  { name: 'email', type: 'string' },
  { name: 'amount', type: 'decimal(12, 2)' },
  { name: 'quantity', type: 'int' },
  { name: 'weight', type: 'double' },
  { name: 'is_gift', type: 'boolean' },
  { name: 'ordered_at', type: 'timestamptz' },
  { name: 'country', type: 'string' },
  { name: 'note', type: 'string' },
] as const;

const countries = ['Germany', 'France', 'Spain', 'Norway', 'Japan', 'Brazil', 'Kenya', 'Canada'];

/** About 250 bytes. */
function benchRecord(at: number): Buffer {
  return Buffer.from(
    JSON.stringify({
      id: 1_000_000_000_000 + at,
      customer: `customer-${(at * 7919) % 50_000}`,
      email: `customer${(at * 7919) % 50_000}@example.com`,
      amount: (((at * 104_729) % 1_000_000) / 100).toFixed(2),
      quantity: (at % 20) + 1,
      weight: ((at * 31) % 10_000) / 128,
      is_gift: at % 7 === 0,
      ordered_at: new Date(1_790_000_000_000 + at * 37).toISOString(),
      country: countries[at % countries.length],
      note: `ordered by phone, delivery ${at % 97}`,
    }),
  );
}

const distinctRecords = 50_000;
const batchRecords = 5_000;

interface TopicLoad {
  readonly partitions: number;
  readonly recordsPerPartition: number;
  /** Of each partition, if records come as time passes, and not as fast as they are read. */
  readonly recordsPerSecond?: number;
}

export class GeneratedTopic implements Source {
  readonly #load: TopicLoad;
  readonly #records = Array.from({ length: distinctRecords }, (_, at) => benchRecord(at));
  readonly #startedMs = systemClock.nowMs();
  readonly recordBytes: number;

  constructor(load: TopicLoad) {
    this.#load = load;
    this.recordBytes = this.#records.reduce((sum, { length }) => sum + length, 0) / distinctRecords;
  }

  get endOffset(): bigint {
    return BigInt(this.#load.recordsPerPartition);
  }

  /** When a record was there. */
  timestampMs(offset: number): number {
    const { recordsPerSecond } = this.#load;
    return recordsPerSecond === undefined
      ? this.#startedMs
      : this.#startedMs + Math.floor((offset * 1000) / recordsPerSecond);
  }

  async describe() {
    const partitions = Array.from({ length: this.#load.partitions }, (_, partition) => ({
      partition,
      logStart: 0n,
      endOffset: this.endOffset,
    }));
    return { topicId: 'generated', partitions };
  }

  open(positions: ReadonlyMap<number, bigint>): SourceReader {
    const left = new Map([...positions].map(([partition, offset]) => [partition, Number(offset)]));
    const closing = new AbortController();
    return {
      next: () => this.#next(left, closing.signal),
      seek: (partition, offset) => void left.set(partition, Number(offset)),
      stop: (partition) => void left.delete(partition),
      close: async () => closing.abort(),
    };
  }

  async #next(left: Map<number, number>, closing: AbortSignal): Promise<SourceEvent> {
    // Answers of brokers come with other events of the process.
    await new Promise<void>((resolve) => void systemClock.after(0, resolve));
    while (!closing.aborted) {
      const available = this.#available();
      // The partition that is most behind, so that all come alike.
      const [partition, from] = [...left].toSorted((one, other) => one[1] - other[1])[0] ?? [0, Infinity];
      if (from < available) {
        const to = Math.min(available, from + batchRecords);
        left.set(partition, to);
        return {
          kind: 'batch',
          partition,
          records: Array.from({ length: to - from }, (_, at) => this.#record(partition, from + at)),
          nextOffset: BigInt(to),
          endOffset: BigInt(available),
        };
      }
      await new Promise<void>((resolve) => void systemClock.after(100, resolve));
    }
    throw new Error('the reader was closed');
  }

  #available(): number {
    const { recordsPerPartition, recordsPerSecond } = this.#load;
    if (recordsPerSecond === undefined) return recordsPerPartition;
    const passed = ((systemClock.nowMs() - this.#startedMs) * recordsPerSecond) / 1000;
    return Math.min(recordsPerPartition, Math.floor(passed));
  }

  #record(partition: number, offset: number): SourceRecord {
    return {
      partition,
      offset: BigInt(offset),
      timestampMs: this.timestampMs(offset),
      key: null,
      value: this.#records[offset % distinctRecords]!,
      headers: [],
    };
  }
}
