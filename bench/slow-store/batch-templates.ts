import type { Clock } from '@weir/core';
import { batchCrcOf, buildRecordBatch, headerAt } from '@weir/wire';

interface ProducerState {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

/**
 * Batches of equal records. The records of a batch are encoded once for each count, so that a load generator that
 * shares the cores with the measured servers takes little of them: Apache's clients, too, encode while they wait.
 */
export class BatchTemplates {
  readonly #value: Buffer;
  readonly #clock: Clock;
  readonly #byCount = new Map<number, Buffer>();

  constructor(value: Buffer, clock: Clock) {
    this.#value = value;
    this.#clock = clock;
  }

  batchOf(count: number, { producerId, producerEpoch, baseSequence }: ProducerState): Buffer {
    const batch = Buffer.from(this.#templateOf(count));
    // Offsets of records in time are zero in the template. Retention deletes what is old.
    const nowMs = BigInt(this.#clock.nowMs());
    batch.writeBigInt64BE(nowMs, headerAt.baseTimestamp);
    batch.writeBigInt64BE(nowMs, headerAt.maxTimestamp);
    batch.writeBigInt64BE(producerId, headerAt.producerId);
    batch.writeInt16BE(producerEpoch, headerAt.producerEpoch);
    batch.writeInt32BE(baseSequence, headerAt.baseSequence);
    batch.writeUInt32BE(batchCrcOf([batch]), headerAt.crc);
    return batch;
  }

  #templateOf(count: number): Buffer {
    let template = this.#byCount.get(count);
    if (template === undefined) {
      const records = Array.from({ length: count }, () => ({ timestamp: 0n, key: null, value: this.#value }));
      template = buildRecordBatch(records);
      this.#byCount.set(count, template);
    }
    return template;
  }
}
