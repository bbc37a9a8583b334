import { type Clock, nextTurn } from '@weir/core';
import { headerAt, headerBytes } from '@weir/wire';
import { migrationLimits } from '../limits.ts';
import { problemOfLength, readBatchHeader } from './batch-header.ts';
import type { CopiedBatch } from './copied-batch.ts';
import { BadMessage, oldOverheadBytes, oldSizeMin } from './old-messages.ts';
import { RebuiltBatches } from './rebuilt-batches.ts';

export interface WalkOptions {
  /** The next offset of the destination: nothing below it is appended. */
  readonly expectedOffset: number;
  readonly clock: Pick<Clock, 'after'>;
}

/** Why a partition cannot go on. Waiting does not help with any of them. */
export interface WalkProblem {
  /**
   * `damaged`: the bytes are not what a log has. `overlap`: a batch begins below the expected offset and ends above it,
   * so that it can be neither appended nor left out.
   */
  readonly kind: 'damaged' | 'overlap';
  /** One line: `the batch at offset 5 has …`. */
  readonly message: string;
  /** Where the batch begins. */
  readonly baseOffset: number;
}

/** The batches of one answer of a partition, in order. */
export interface Walk {
  readonly batches: readonly CopiedBatch[];
  /** Their bytes one after another: slices of the answer, with the leader epoch of the destination. */
  readonly slices: readonly Buffer[];
  readonly byteLength: number;
  /** After the last batch; the expected offset if there is none. */
  readonly nextOffset: number;
  /** The leader epoch of the last batch at the source; absent if it has none, or nothing is appended. */
  readonly lastEpoch: number | undefined;
  /** Batches that are left out because they are copied already. */
  readonly skippedCount: number;
  /** The batches before it are fine. */
  readonly problem: WalkProblem | undefined;
  /** What the answer should have room for, if it ends before its first new batch is whole. */
  readonly wantedBytes: number | undefined;
}

/** Every batch of a copy has the epoch of the destination, which never changes its leader. */
const destinationLeaderEpoch = 0;
const lengthOverheadBytes = headerAt.batchLength + 4;
const currentMagic = 2;

/**
 * Walks the headers of the records field of one partition, as a source sent it. Records are not decoded, but messages
 * of the formats before 2017 are put into batches of the current one. It writes the leader epoch into the bytes, which
 * the caller must own.
 *
 * An answer may end within a batch, which is left out. A base offset above the expected one is a gap of compaction or
 * retention, and stays. The source is not trusted: counts, lengths and offsets are checked, and the work is bounded;
 * what does not fit in is fetched again.
 */
export async function walkAnswer(records: Buffer, options: WalkOptions): Promise<Walk> {
  const walker = new Walker(records, options);
  await walker.run();
  return walker.result();
}

class Walker {
  readonly #records: Buffer;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #batches: CopiedBatch[] = [];
  readonly #slices: Buffer[] = [];
  #byteLength = 0;
  #nextOffset: number;
  #lastEpoch: number | undefined;
  #skippedCount = 0;
  #problem: WalkProblem | undefined;
  #wantedBytes: number | undefined;
  /** Bytes of the answer that go out as they are, and belong to one slice. */
  #sliceStart = 0;
  #sliceEnd = 0;
  #bytesOfTurn = 0;

  constructor(records: Buffer, { expectedOffset, clock }: WalkOptions) {
    this.#records = records;
    this.#nextOffset = expectedOffset;
    this.#clock = clock;
  }

  async run(): Promise<void> {
    const records = this.#records;
    for (let at = 0; this.#goesOn() && records.length - at >= headerAt.magic + 1; ) {
      const lengthField = records.readInt32BE(at + headerAt.batchLength);
      const isOld = records.readInt8(at + headerAt.magic) < currentMagic;
      const problem = problemOfLength(lengthField, isOld ? oldSizeMin : headerBytes - lengthOverheadBytes);
      if (problem !== undefined) this.#stop('damaged', at, problem);
      else if (records.readInt8(at + headerAt.magic) > currentMagic)
        this.#stop(
          'damaged',
          at,
          `has the magic ${records.readInt8(at + headerAt.magic)}, which no format has`,
        );
      else {
        const end = at + lengthOverheadBytes + lengthField;
        if (end > records.length) {
          if (this.#batches.length === 0) this.#wantedBytes = end;
          return;
        }
        if (isOld) at = await this.#rebuild(at);
        else {
          this.#take(at, end);
          at = end;
          await this.#yieldAfter(lengthField);
        }
      }
    }
  }

  result(): Walk {
    this.#closeSlice();
    return {
      batches: this.#batches,
      slices: this.#slices,
      byteLength: this.#byteLength,
      nextOffset: this.#nextOffset,
      lastEpoch: this.#lastEpoch,
      skippedCount: this.#skippedCount,
      problem: this.#problem,
      wantedBytes: this.#wantedBytes,
    };
  }

  #goesOn(): boolean {
    return this.#problem === undefined && this.#batches.length < migrationLimits.walkedBatchesMax;
  }

  /** Takes a batch of the current format as it is. */
  #take(at: number, end: number): void {
    const bytes = this.#records.subarray(at, end);
    const header = readBatchHeader(bytes);
    if (typeof header === 'string') {
      this.#stop('damaged', at, header);
      return;
    }
    const expected = this.#nextOffset;
    if (header.nextOffset <= expected) {
      this.#skippedCount++;
      return;
    }
    if (header.baseOffset < expected) {
      this.#stop(
        'overlap',
        at,
        `ends at offset ${header.nextOffset - 1}, and the copy goes on at ${expected}`,
      );
      return;
    }
    const epoch = bytes.readInt32BE(headerAt.partitionLeaderEpoch);
    this.#lastEpoch = epoch < 0 ? undefined : epoch;
    bytes.writeInt32BE(destinationLeaderEpoch, headerAt.partitionLeaderEpoch);
    if (this.#sliceEnd !== at) {
      this.#closeSlice();
      this.#sliceStart = at;
    }
    this.#sliceEnd = end;
    this.#add(header, bytes.length);
  }

  /** Takes the messages of older formats from here on, and returns where they end. */
  async #rebuild(start: number): Promise<number> {
    const records = this.#records;
    const rebuilt = new RebuiltBatches(this.#nextOffset, this.#clock);
    let at = start;
    while (!rebuilt.isFull && records.length - at >= headerAt.magic + 1) {
      const size = records.readInt32BE(at + headerAt.batchLength);
      const end = at + oldOverheadBytes + size;
      const isNext = records.readInt8(at + headerAt.magic) < currentMagic && end <= records.length;
      if (!isNext || problemOfLength(size, oldSizeMin) !== undefined) break;
      try {
        await rebuilt.add(records.subarray(at, end));
      } catch (error) {
        if (!(error instanceof BadMessage)) throw error;
        this.#addRebuilt(rebuilt);
        this.#stop('damaged', at, error.message);
        return at;
      }
      at = end;
      await this.#yieldAfter(size);
    }
    this.#addRebuilt(rebuilt);
    // What was inflated is enough for one answer.
    return rebuilt.isFull ? records.length : at;
  }

  #addRebuilt(rebuilt: RebuiltBatches): void {
    const batches = rebuilt.take();
    if (batches.length === 0) return;
    this.#closeSlice();
    this.#lastEpoch = undefined;
    for (const bytes of batches) {
      bytes.writeInt32BE(destinationLeaderEpoch, headerAt.partitionLeaderEpoch);
      const header = readBatchHeader(bytes);
      if (typeof header === 'string') throw new Error(`a rebuilt batch ${header}`);
      this.#slices.push(bytes);
      this.#add(header, bytes.length);
    }
  }

  #add(header: Omit<CopiedBatch, 'byteStart' | 'byteLength'>, byteLength: number): void {
    this.#batches.push({ ...header, byteStart: this.#byteLength, byteLength });
    this.#byteLength += byteLength;
    this.#nextOffset = header.nextOffset;
  }

  #closeSlice(): void {
    if (this.#sliceEnd > this.#sliceStart)
      this.#slices.push(this.#records.subarray(this.#sliceStart, this.#sliceEnd));
    this.#sliceStart = 0;
    this.#sliceEnd = 0;
  }

  #stop(kind: WalkProblem['kind'], at: number, what: string): void {
    const baseOffset = Number(this.#records.readBigInt64BE(at));
    this.#problem = { kind, message: `the batch at offset ${baseOffset} ${what}`, baseOffset };
  }

  async #yieldAfter(bytes: number): Promise<void> {
    this.#bytesOfTurn += bytes;
    if (this.#bytesOfTurn < migrationLimits.walkedBytesPerTurnMax) return;
    this.#bytesOfTurn = 0;
    await nextTurn(this.#clock);
  }
}
