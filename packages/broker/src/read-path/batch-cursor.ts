import {
  attributeBits,
  batchCrcOf,
  headerAt,
  headerBytes,
  positionHeadBytes,
  RecordBatchView,
  uncompressedBytesMax,
} from '@weir/wire';

/** The bytes at the cursor are not a record batch. */
export class NoRecordBatch extends Error {
  override readonly name = 'NoRecordBatch';
}

const nothing = Buffer.alloc(0);

/** Size of a batch up to and including its length field. */
const lengthOverheadBytes = 12;

/**
 * Iterates over the batches of a stored range that is given in pieces, because it may cross pages. Reads headers only,
 * where they lie; views of a batch are created on demand.
 */
export class BatchCursor {
  readonly #pieces: readonly Buffer[];
  readonly #end: number;
  /** The piece in which the next batch begins, and where that piece begins. */
  #piece = 0;
  #pieceStart = 0;
  /** The bytes that hold the header of the current batch, and where in them. */
  #header: Buffer = nothing;
  #headerAt = 0;
  #next = 0;
  /** Start of the current batch, counted from the first piece. */
  position = 0;
  /** Size of the current batch; 0 if there is none. */
  batchBytes = 0;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
    let end = 0;
    for (const piece of pieces) end += piece.length;
    this.#end = end;
  }

  /** Moves to the next batch; returns false if its header is incomplete. */
  next(): boolean {
    this.position = this.#next;
    this.batchBytes = 0;
    if (this.#end - this.position < headerBytes) return false;
    while (this.position - this.#pieceStart >= this.#pieces[this.#piece]!.length) {
      this.#pieceStart += this.#pieces[this.#piece++]!.length;
    }
    this.#findHeader();
    const batchBytes = lengthOverheadBytes + this.#int32(headerAt.batchLength);
    if (this.#header[this.#headerAt + headerAt.magic] !== 2 || batchBytes < headerBytes) {
      throw new NoRecordBatch(`no record batch at byte ${this.position} of the range`);
    }
    this.batchBytes = batchBytes;
    this.#next = this.position + batchBytes;
    return true;
  }

  #int32(field: number): number {
    return this.#header.readInt32BE(this.#headerAt + field);
  }

  /** The header of the current batch, without its records. */
  get header(): RecordBatchView {
    return new RecordBatchView(this.#header.subarray(this.#headerAt, this.#headerAt + headerBytes));
  }

  /** The base offset in the header, which only files of level 1 and above have set. */
  get storedBaseOffset(): number {
    // Without a bigint: a value of 2^53 or more is invalid, and need not be exact.
    return this.#int32(headerAt.baseOffset) * 2 ** 32 + (this.#int32(headerAt.baseOffset + 4) >>> 0);
  }

  get storedLeaderEpoch(): number {
    return this.#int32(headerAt.partitionLeaderEpoch);
  }

  /** How many offsets the batch takes. */
  get offsetSpan(): number {
    return this.#int32(headerAt.lastOffsetDelta) + 1;
  }

  get recordCount(): number {
    return this.#int32(headerAt.recordCount);
  }

  /** The piece in which the current batch begins, and where. */
  get piece(): Buffer {
    return this.#pieces[this.#piece]!;
  }

  get pieceAt(): number {
    return this.position - this.#pieceStart;
  }

  /** Whether the pieces contain all of the current batch. */
  get isWhole(): boolean {
    return this.#next <= this.#end;
  }

  /** The most bytes that the current batch, which must be whole, has once its records are decompressed. */
  get uncompressedBytesMax(): number {
    // Most batches of a large answer are not compressed, or alike; a view of each would cost more than this.
    if ((this.#header[this.#headerAt + headerAt.attributes + 1]! & attributeBits.codec) === 0)
      return this.batchBytes;
    const { codec = 'none' } = this.header;
    if (codec === 'none') return this.batchBytes;
    const pieces: Buffer[] = [];
    this.#collect(this.position + headerBytes, this.#next, pieces);
    return headerBytes + uncompressedBytesMax(codec, pieces);
  }

  /** Whether the current batch, which must be whole, matches its CRC. The offset is not covered by the CRC. */
  hasValidCrc(): boolean {
    const pieces: Buffer[] = [];
    this.#collect(this.position, this.#next, pieces);
    return batchCrcOf(pieces) === this.#int32(headerAt.crc) >>> 0;
  }

  /** Adds views of the whole batch. */
  collect(into: Buffer[]): void {
    this.#collect(this.position, this.#next, into);
  }

  /** Adds views of the batch without its first 16 bytes, which the sender rewrites. */
  collectTail(into: Buffer[]): void {
    this.#collect(this.position + positionHeadBytes, this.#next, into);
  }

  /** Returns the whole batch in one buffer; a copy only if it crosses pieces. */
  batch(): RecordBatchView {
    const pieces: Buffer[] = [];
    this.#collect(this.position, this.#next, pieces);
    return new RecordBatchView(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  }

  #findHeader(): void {
    const { piece, pieceAt } = this;
    if (piece.length - pieceAt >= headerBytes) {
      this.#header = piece;
      this.#headerAt = pieceAt;
      return;
    }
    const pieces: Buffer[] = [];
    this.#collect(this.position, this.position + headerBytes, pieces);
    this.#header = Buffer.concat(pieces);
    this.#headerAt = 0;
  }

  #collect(start: number, end: number, into: Buffer[]): void {
    let pieceStart = this.#pieceStart;
    for (let index = this.#piece; pieceStart < end && index < this.#pieces.length; index++) {
      const piece = this.#pieces[index]!;
      if (pieceStart + piece.length > start) {
        into.push(piece.subarray(Math.max(0, start - pieceStart), Math.min(piece.length, end - pieceStart)));
      }
      pieceStart += piece.length;
    }
  }
}
