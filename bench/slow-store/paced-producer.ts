import type { Clock } from '@weir/core';
import { MiB } from '@weir/core';

/** What one batch of a request holds: so many records for a partition. */
interface BatchToSend {
  readonly partition: number;
  readonly records: number;
}

interface PacedProducerOptions {
  readonly clock: Clock;
  readonly partitions: number;
  /** Records per second; as many as the broker takes if absent. */
  readonly rate?: number | undefined;
  readonly records: number;
  readonly lingerMs: number;
  readonly recordsPerBatch: number;
  /** Size of a record in a batch. */
  readonly recordBytes: number;
  /** Sends one request; resolves when it is acknowledged. */
  send(batches: readonly BatchToSend[]): Promise<void>;
  /** Called for every acknowledged record with the time since it was due. */
  onAcknowledged?(latencyMs: number, index: number): void;
}

/** Defaults of Apache's producer. */
const inFlightMax = 5;
const requestBytesMax = MiB;

/**
 * Sends as Apache's producer does: records that are due gather in batches, a batch leaves when it is full or has
 * lingered, all batches that are ready share a request, and at most five requests wait for their answers. While five
 * wait, records gather. A full batch moves the producer to its next partition.
 *
 * A record is due at its place in the rate, whether or not the producer can send it then, so that its latency has the
 * time that it waited in the producer.
 */
export class PacedProducer {
  readonly #options: PacedProducerOptions;
  #startMs = 0;
  #sent = 0;
  #inFlight = 0;
  #partition = 0;
  #problem: unknown;
  #wake: () => void = () => {};

  constructor(options: PacedProducerOptions) {
    this.#options = options;
  }

  async run(startMs: number): Promise<void> {
    const { clock, records, lingerMs, recordsPerBatch } = this.#options;
    this.#startMs = startMs;
    while (this.#problem === undefined && (this.#sent < records || this.#inFlight > 0)) {
      const nowMs = clock.monotonicMs();
      const pending = this.#dueBy(nowMs) - this.#sent;
      if (this.#inFlight === inFlightMax || this.#sent === records) await this.#woken();
      else if (pending >= recordsPerBatch || this.#dueMs(this.#sent) + lingerMs <= nowMs) this.#send(pending);
      else await this.#woken(this.#dueMs(this.#sent) + lingerMs - nowMs);
    }
    if (this.#problem !== undefined) throw this.#problem;
  }

  #dueMs(index: number): number {
    const { rate } = this.#options;
    return rate === undefined ? this.#startMs : this.#startMs + (index * 1000) / rate;
  }

  #dueBy(nowMs: number): number {
    const { rate, records } = this.#options;
    if (rate === undefined) return records;
    return Math.max(0, Math.min(records, Math.floor(((nowMs - this.#startMs) * rate) / 1000) + 1));
  }

  #send(pending: number): void {
    const { clock, recordsPerBatch, recordBytes, partitions, onAcknowledged, rate } = this.#options;
    const batches: BatchToSend[] = [];
    const first = this.#sent;
    let left = Math.min(pending, Math.max(recordsPerBatch, Math.floor(requestBytesMax / recordBytes)));
    while (left > 0 && batches.length < partitions) {
      const records = Math.min(left, recordsPerBatch);
      batches.push({ partition: this.#partition, records });
      this.#partition = (this.#partition + 1) % partitions;
      this.#sent += records;
      left -= records;
    }
    const end = this.#sent;
    const sentMs = clock.monotonicMs();
    this.#inFlight++;
    this.#options
      .send(batches)
      .then(() => {
        const nowMs = clock.monotonicMs();
        for (let index = first; index < end; index++) {
          onAcknowledged?.(nowMs - (rate === undefined ? sentMs : this.#dueMs(index)), index);
        }
      })
      .catch((error: unknown) => {
        this.#problem ??= error;
      })
      .finally(() => {
        this.#inFlight--;
        this.#wake();
      });
  }

  /** Resolves when a request is answered, or after `ms`. */
  #woken(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === undefined ? () => {} : this.#options.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
