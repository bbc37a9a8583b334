import { DecodeError } from '../decode-error.ts';
import { wireLimits } from '../limits.ts';
import { recordBytesMin } from './layout.ts';

/** A record is longer than allowed, detected before all of it was decompressed. */
export class OversizedRecord extends DecodeError {
  readonly index: number;
  readonly recordBytes: number;

  constructor(index: number, recordBytes: number, at: number) {
    super('records', 'length', at, `record ${index} has ${recordBytes} bytes`);
    this.index = index;
    this.recordBytes = recordBytes;
  }
}

const varintBytesMax = 5;

/**
 * Tracks the lengths of records in a stream of their bytes, which arrive in pieces of any size, so that a batch which
 * cannot be accepted is not decompressed to its end. It throws `OversizedRecord` at the length of the first record that
 * is too long, and `DecodeError` where the bytes cannot continue a batch. Other defects of a batch are found when all
 * of it is read.
 */
export class RecordLengths {
  /** All bytes so far. */
  totalBytes = 0;
  readonly #recordCount: number;
  readonly #recordBytesMax: number;
  #index = 0;
  /** The remaining bytes of the record whose length was read last. */
  #bodyBytesLeft = 0;
  /** The bytes so far of a length that may continue in the next piece. */
  #lengthBytes = 0;
  #length = 0;
  #isScanStopped = false;

  constructor(recordCount: number, recordBytesMax: number) {
    this.#recordCount = recordCount;
    this.#recordBytesMax = recordBytesMax;
  }

  see(piece: Buffer): void {
    const pieceAt = this.totalBytes;
    this.totalBytes += piece.length;
    if (this.#isScanStopped) return;
    const indexMax = this.#index + wireLimits.walkedRecordsPerTurnMax;
    let at = 0;
    while (at < piece.length) {
      if (this.#bodyBytesLeft > 0) {
        const skippedBytes = Math.min(this.#bodyBytesLeft, piece.length - at);
        this.#bodyBytesLeft -= skippedBytes;
        at += skippedBytes;
        continue;
      }
      // Scanning this many records takes long, and they must be small, so the check stops here.
      if (this.#index === indexMax) {
        this.#isScanStopped = true;
        return;
      }
      this.#take(piece[at]!, pieceAt + at);
      at++;
    }
  }

  /** Takes one byte of a length. */
  #take(byte: number, at: number): void {
    if (this.#index === this.#recordCount) {
      throw new DecodeError('records', 'length', at, 'bytes follow the last record');
    }
    if (++this.#lengthBytes > varintBytesMax) {
      throw new DecodeError('records', 'length', at, 'varint is longer than 32 bits');
    }
    this.#length += (byte & 0x7f) * 2 ** (7 * (this.#lengthBytes - 1));
    if (byte >= 0x80) return;
    const isNegative = this.#length % 2 === 1;
    const bodyBytes = Math.floor(this.#length / 2);
    const recordBytes = this.#lengthBytes + bodyBytes;
    if (isNegative || recordBytes < recordBytesMin) {
      throw new DecodeError('records', 'length', at, 'is less than that of a record');
    }
    if (recordBytes > this.#recordBytesMax) throw new OversizedRecord(this.#index, recordBytes, at);
    this.#index++;
    this.#bodyBytesLeft = bodyBytes;
    this.#length = 0;
    this.#lengthBytes = 0;
  }
}
