import type { PartitionLog } from '../log/partition-log.ts';
import { CapturedProducers } from './captured-producers.ts';
import type { ProducerBatch, ProducerState } from './producer-state.ts';
import { lastSequence, nextSequence, sequenceCount } from './sequence.ts';

/**
 * Number of recent batches per producer and partition that are recognised as duplicates. Clients have at most this many
 * in flight.
 */
export const windowBatches = 5;

/** Verdict on a batch of a producer that has an id. */
export type Verdict =
  /** Follows the producer's last batch. */
  | 'continues'
  /** The first batch of a producer that is unknown in the partition, or of a new epoch. */
  | 'starts'
  /** Already appended, at `duplicateOffset`. */
  | 'duplicate'
  | 'OUT_OF_ORDER_SEQUENCE_NUMBER'
  | 'INVALID_PRODUCER_EPOCH';

/**
 * State of every producer in every partition that it wrote to: its epoch and its last five batches. Stored in columns,
 * since there can be a million states. A linked list through the slots runs from the state idle longest to the one
 * written last, so that forgetting costs only what is forgotten. Slot 0 is the sentinel of the list.
 */
export class Producers {
  #capacity = 0;
  #producerId = new Float64Array(0);
  #epoch = new Int16Array(0);
  #writtenMs = new Float64Array(0);
  #batchCount = new Uint8Array(0);
  /** The next row of the window to write; in a full window this is the oldest. */
  #nextRow = new Uint8Array(0);
  #firstSequence = new Int32Array(0);
  #lastSequence = new Int32Array(0);
  #baseOffset = new Float64Array(0);
  #newer = new Uint32Array(0);
  #older = new Uint32Array(0);
  readonly #logs: (PartitionLog | undefined)[] = [undefined];
  readonly #freeSlots: number[] = [];
  #count = 0;
  #capture: CapturedProducers | undefined;

  /** The base offset of the last duplicate that `validate` found. */
  duplicateOffset = -1;

  constructor() {
    this.#grow();
  }

  get count(): number {
    return this.#count;
  }

  /** Validates a batch without changing state. A state not written to after `silentSinceMs` counts as forgotten. */
  validate(
    log: PartitionLog,
    producerId: number,
    epoch: number,
    baseSequence: number,
    recordCount: number,
    silentSinceMs: number,
  ): Verdict {
    if (epoch < 0) return 'INVALID_PRODUCER_EPOCH';
    if (baseSequence < 0) return 'OUT_OF_ORDER_SEQUENCE_NUMBER';
    const slot = log.producerSlots?.get(producerId);
    // A forgotten producer does not know that it was forgotten and continues its sequence, so any sequence is accepted
    // (P5).
    if (slot === undefined || this.#writtenMs[slot]! <= silentSinceMs) return 'starts';
    const knownEpoch = this.#epoch[slot]!;
    if (epoch < knownEpoch) return 'INVALID_PRODUCER_EPOCH';
    if (epoch > knownEpoch) return baseSequence === 0 ? 'starts' : 'OUT_OF_ORDER_SEQUENCE_NUMBER';

    const firstRow = slot * windowBatches;
    const last = lastSequence(baseSequence, recordCount);
    for (let row = firstRow; row < firstRow + this.#batchCount[slot]!; row++) {
      if (this.#firstSequence[row] === baseSequence && this.#lastSequence[row] === last) {
        this.duplicateOffset = this.#baseOffset[row]!;
        return 'duplicate';
      }
    }
    const newestRow = firstRow + ((this.#nextRow[slot]! + windowBatches - 1) % windowBatches);
    return baseSequence === nextSequence(this.#lastSequence[newestRow]!)
      ? 'continues'
      : 'OUT_OF_ORDER_SEQUENCE_NUMBER';
  }

  isKnown(log: PartitionLog, producerId: number): boolean {
    return log.producerSlots?.has(producerId) ?? false;
  }

  /** Returns the epoch of a producer; -1 if it is unknown in the partition. */
  epochOf(log: PartitionLog, producerId: number): number {
    const slot = log.producerSlots?.get(producerId);
    return slot === undefined ? -1 : this.#epoch[slot]!;
  }

  /** Records an appended batch as the producer's newest. `starts` drops the batches before it. */
  record(
    log: PartitionLog,
    producerId: number,
    epoch: number,
    baseSequence: number,
    recordCount: number,
    baseOffset: number,
    starts: boolean,
    nowMs: number,
  ): void {
    let slot = log.producerSlots?.get(producerId);
    if (slot === undefined) {
      slot = this.#allocate(log, producerId);
    } else {
      this.#capture?.beforeChange(slot);
      this.#unlink(slot);
    }
    this.#linkAsNewest(slot);
    this.#epoch[slot] = epoch;
    this.#writtenMs[slot] = nowMs;
    if (starts) {
      this.#batchCount[slot] = 0;
      this.#nextRow[slot] = 0;
    }
    this.#pushBatch(slot, baseSequence, lastSequence(baseSequence, recordCount), baseOffset);
  }

  /** Returns how many were not written to after that time. They are the oldest. */
  countSilent(silentSinceMs: number): number {
    let count = 0;
    for (let slot = this.#newer[0]!; slot !== 0 && this.#writtenMs[slot]! <= silentSinceMs; count++) {
      slot = this.#newer[slot]!;
    }
    return count;
  }

  forgetOldest(count: number): void {
    for (let left = Math.min(count, this.#count); left > 0; left--) this.#forget(this.#newer[0]!);
  }

  /** Forgets all producers of a partition. */
  forgetLog(log: PartitionLog): void {
    if (log.producerSlots === undefined) return;
    for (const slot of [...log.producerSlots.values()]) this.#forget(slot);
  }

  /**
   * Forgets producers whose last batch is entirely below the log start (P9). A producer with an open transaction in the
   * partition is retained.
   */
  forgetBefore(log: PartitionLog, logStartOffset: number): void {
    if (log.producerSlots === undefined) return;
    for (const [producerId, slot] of [...log.producerSlots]) {
      if (log.openTransactions?.has(producerId) === true) continue;
      const newest = slot * windowBatches + ((this.#nextRow[slot]! + windowBatches - 1) % windowBatches);
      const recordCount = sequenceCount(this.#firstSequence[newest]!, this.#lastSequence[newest]!);
      if (this.#baseOffset[newest]! + recordCount <= logStartOffset) this.#forget(slot);
    }
  }

  /** Returns all known producers of a partition. */
  of(log: PartitionLog): ProducerState[] {
    return Array.from(log.producerSlots?.values() ?? [], (slot) => this.#stateOf(slot));
  }

  /**
   * Captures all states of this moment, to be read while they change, until `endCapture`. Only one capture at a time.
   */
  capture(): CapturedProducers {
    if (this.#capture !== undefined) throw new Error('the producers are being captured already');
    const order = new Uint32Array(this.#count);
    let position = 0;
    for (let slot = this.#newer[0]!; slot !== 0; slot = this.#newer[slot]!) order[position++] = slot;
    this.#capture = new CapturedProducers(order, this.#capacity, (slot) => this.#stateOf(slot));
    return this.#capture;
  }

  endCapture(): void {
    this.#capture = undefined;
  }

  /** Batches are in the order in which they were written. */
  #stateOf(slot: number): ProducerState {
    const batches: ProducerBatch[] = [];
    const count = this.#batchCount[slot]!;
    const oldest = count < windowBatches ? 0 : this.#nextRow[slot]!;
    for (let position = 0; position < count; position++) {
      const row = slot * windowBatches + ((oldest + position) % windowBatches);
      batches.push({
        firstSequence: this.#firstSequence[row]!,
        lastSequence: this.#lastSequence[row]!,
        baseOffset: this.#baseOffset[row]!,
      });
    }
    return {
      log: this.#logs[slot]!,
      producerId: this.#producerId[slot]!,
      epoch: this.#epoch[slot]!,
      writtenMs: this.#writtenMs[slot]!,
      batches,
    };
  }

  /** Restores a state from a snapshot, as the one written last. */
  restore({ log, producerId, epoch, writtenMs, batches }: ProducerState): void {
    const slot = this.#allocate(log, producerId);
    this.#linkAsNewest(slot);
    this.#epoch[slot] = epoch;
    this.#writtenMs[slot] = writtenMs;
    for (const { firstSequence, lastSequence, baseOffset } of batches) {
      this.#pushBatch(slot, firstSequence, lastSequence, baseOffset);
    }
  }

  #pushBatch(slot: number, firstSequence: number, lastSequence: number, baseOffset: number): void {
    const position = this.#nextRow[slot]!;
    const row = slot * windowBatches + position;
    this.#firstSequence[row] = firstSequence;
    this.#lastSequence[row] = lastSequence;
    this.#baseOffset[row] = baseOffset;
    this.#nextRow[slot] = (position + 1) % windowBatches;
    if (this.#batchCount[slot]! < windowBatches) this.#batchCount[slot]!++;
  }

  #allocate(log: PartitionLog, producerId: number): number {
    let slot = this.#freeSlots.pop();
    if (slot === undefined) {
      slot = this.#logs.length;
      this.#logs.push(undefined);
      if (slot >= this.#capacity) this.#grow();
    }
    this.#count++;
    this.#logs[slot] = log;
    this.#producerId[slot] = producerId;
    this.#batchCount[slot] = 0;
    this.#nextRow[slot] = 0;
    log.producerSlots ??= new Map();
    log.producerSlots.set(producerId, slot);
    return slot;
  }

  #forget(slot: number): void {
    this.#capture?.beforeChange(slot);
    const log = this.#logs[slot]!;
    log.producerSlots!.delete(this.#producerId[slot]!);
    if (log.producerSlots!.size === 0) log.producerSlots = undefined;
    this.#unlink(slot);
    this.#logs[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#count--;
  }

  #linkAsNewest(slot: number): void {
    const newest = this.#older[0]!;
    this.#older[slot] = newest;
    this.#newer[slot] = 0;
    this.#newer[newest] = slot;
    this.#older[0] = slot;
  }

  #unlink(slot: number): void {
    const older = this.#older[slot]!;
    const newer = this.#newer[slot]!;
    this.#newer[older] = newer;
    this.#older[newer] = older;
  }

  #grow(): void {
    const capacity = Math.max(64, 2 * this.#capacity);
    const grown = <Column extends Growable>(column: Column, larger: Column): Column => {
      larger.set(column);
      return larger;
    };
    this.#producerId = grown(this.#producerId, new Float64Array(capacity));
    this.#epoch = grown(this.#epoch, new Int16Array(capacity));
    this.#writtenMs = grown(this.#writtenMs, new Float64Array(capacity));
    this.#batchCount = grown(this.#batchCount, new Uint8Array(capacity));
    this.#nextRow = grown(this.#nextRow, new Uint8Array(capacity));
    this.#firstSequence = grown(this.#firstSequence, new Int32Array(windowBatches * capacity));
    this.#lastSequence = grown(this.#lastSequence, new Int32Array(windowBatches * capacity));
    this.#baseOffset = grown(this.#baseOffset, new Float64Array(windowBatches * capacity));
    this.#newer = grown(this.#newer, new Uint32Array(capacity));
    this.#older = grown(this.#older, new Uint32Array(capacity));
    this.#capacity = capacity;
  }
}

type Growable = Float64Array | Int32Array | Uint32Array | Int16Array | Uint8Array;
