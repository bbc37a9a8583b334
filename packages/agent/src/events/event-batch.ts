import { KiB, MiB } from '@weir/core';
import { RecordBatchBuilder, type ValueToWrite } from '@weir/wire';
import type { ProducedBatch } from '../write-path/produced-batch.ts';

/** A record batch of events, without the topic that it goes to. */
export type EventBatch = Omit<ProducedBatch, 'topicId' | 'partition'>;

/** Measured on denials of ACLs: the fastest, and 18 times smaller; the usual level takes longer and makes it 17 times. */
const fastLevel = 1;
const firstBytes = 16 * KiB;

/** Memory of drafts that are written, for the next ones: who takes new memory for half a megabyte many times a second calls the collector of garbage. */
export class SpareMemory {
  readonly #spares: Buffer[] = [];

  take(): Buffer {
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(firstBytes);
  }

  give(memory: Buffer): void {
    if (this.#spares.length < sparesMax && memory.length <= spareBytesMax) this.#spares.push(memory);
  }
}

const sparesMax = 4;
const spareBytesMax = MiB;

/**
 * Events that are gathered to be one batch: a record per event, without a key, with the time of the event. They are bytes from the beginning, so that
 * those that wait cost the collector of garbage nothing.
 */
export class EventDraft {
  readonly #spares: SpareMemory;
  readonly #builder: RecordBatchBuilder;
  #maxTimestampMs = 0;
  /** What the events take without what is around them in a batch. */
  eventBytes = 0;

  constructor(spares: SpareMemory) {
    this.#spares = spares;
    const compression = { level: fastLevel };
    this.#builder = new RecordBatchBuilder({ codec: 'zstd', compression, memory: spares.take() });
  }

  get count(): number {
    return this.#builder.recordCount;
  }

  append(event: ValueToWrite, timeMs: number): void {
    this.#builder.appendValue(event, timeMs);
    this.eventBytes += event.byteLength;
    if (timeMs > this.#maxTimestampMs) this.#maxTimestampMs = timeMs;
  }

  /** The batch, which a thread of the pool compresses. Nothing can be appended any more. */
  async finish(): Promise<EventBatch> {
    const { uncompressedBytes, recordCount } = this.#builder;
    const bytes = await this.#builder.finishOffThread();
    this.#spares.give(this.#builder.memory);
    const withoutProducer = { producerId: -1, producerEpoch: -1, baseSequence: -1 };
    return {
      bytes,
      uncompressedBytes,
      recordCount,
      maxTimestampMs: this.#maxTimestampMs,
      ...withoutProducer,
    };
  }
}
