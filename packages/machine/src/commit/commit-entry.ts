import type { ByteReader } from '../bytes/byte-reader.ts';
import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';

/**
 * Journal format of the results of a file's batches. The first byte of a batch says what became of it and which fields
 * equal those of the previous batch, so that a batch usually takes ten to fifteen bytes.
 */

/**
 * Precedes every file and follows the last one, so that a truncated entry is not taken for a shorter one. A file with
 * transactional batches has a second byte per appended batch; entries of kind `filesCommitted` have no such files.
 */
const more = { file: 1, transactionalFile: 2, end: 0 } as const;

/** The two lowest bits. */
const fate = { appended: 0, duplicate: 1, refused: 2 } as const;
const fateMask = 3;

/** Bits of appended batches. */
const sameTopic = 1 << 2;
/** In the file it directly follows the previous batch. */
const adjacent = 1 << 3;
const sameProducer = 1 << 4;
/** The producer's window starts with this batch. */
const startsWindow = 1 << 5;
/** The producer state that was idle longest is evicted first. */
const evictsProducer = 1 << 6;
/** The difference to the previous timestamp is too large, so the timestamp is written in full. */
const wideTimestamp = 1 << 7;

/** Bits of the second byte. */
const transactional = 1 << 0;
/** The batch adds the partition to the transaction. */
const joinsTransaction = 1 << 1;

/** Fields of an appended batch. One object is reused, as there may be a million batches per second. */
export class AppendedBatch {
  topicNumber = 0;
  partition = 0;
  byteStart = 0;
  byteLength = 0;
  recordCount = 0;
  maxTimestampMs = 0;
  producerId = -1;
  producerEpoch = -1;
  baseSequence = -1;
  startsWindow = false;
  evictsProducer = false;
  isTransactional = false;
  joinsTransaction = false;
}

/** What writer and reader remember of the previous batch. Reset for every file. */
class Before {
  topicNumber = -1;
  partition = 0;
  end = 0;
  timestampMs = 0;
  producerId = -1;
  producerEpoch = -1;

  begin(nowMs: number): void {
    this.topicNumber = -1;
    this.partition = 0;
    this.end = 0;
    this.timestampMs = nowMs;
    this.producerId = -1;
    this.producerEpoch = -1;
  }

  is(batch: AppendedBatch): void {
    this.topicNumber = batch.topicNumber;
    this.partition = batch.partition;
    this.end = batch.byteStart + batch.byteLength;
    this.timestampMs = batch.maxTimestampMs;
    this.producerId = batch.producerId;
    this.producerEpoch = batch.producerEpoch;
  }
}

export class CommitEntryWriter {
  readonly #writer: ByteWriter;
  readonly #before = new Before();
  #hasTransactions = false;

  constructor(writer: ByteWriter) {
    this.#writer = writer;
  }

  beginFile(
    fileId: string,
    fileBytes: number,
    batchCount: number,
    nowMs: number,
    hasTransactions: boolean,
  ): void {
    this.#hasTransactions = hasTransactions;
    this.#writer.u8(hasTransactions ? more.transactionalFile : more.file);
    this.#writer.hex16(fileId);
    this.#writer.varint(fileBytes);
    this.#writer.varint(batchCount);
    this.#before.begin(nowMs);
  }

  appended(batch: AppendedBatch): void {
    const writer = this.#writer;
    const before = this.#before;
    const isSameTopic = batch.topicNumber === before.topicNumber;
    const isAdjacent = batch.byteStart === before.end;
    const isSameProducer =
      batch.producerId === before.producerId && batch.producerEpoch === before.producerEpoch;
    const timestampStep = batch.maxTimestampMs - before.timestampMs;
    // Differences are exact up to 2^53, and zigzag takes one bit.
    const isWide = Math.abs(timestampStep) >= 2 ** 51;
    writer.u8(
      fate.appended |
        (isSameTopic ? sameTopic : 0) |
        (isAdjacent ? adjacent : 0) |
        (isSameProducer ? sameProducer : 0) |
        (batch.startsWindow ? startsWindow : 0) |
        (batch.evictsProducer ? evictsProducer : 0) |
        (isWide ? wideTimestamp : 0),
    );
    if (this.#hasTransactions) {
      writer.u8(
        (batch.isTransactional ? transactional : 0) | (batch.joinsTransaction ? joinsTransaction : 0),
      );
    }
    if (!isSameTopic) writer.varint(batch.topicNumber);
    writer.zigzag(batch.partition - (isSameTopic ? before.partition : 0));
    if (!isAdjacent) writer.varint(batch.byteStart);
    writer.varint(batch.byteLength);
    writer.varint(batch.recordCount);
    if (isWide) writer.f64(batch.maxTimestampMs);
    else writer.zigzag(timestampStep);
    if (!isSameProducer) {
      writer.varint(batch.producerId + 1);
      if (batch.producerId >= 0) writer.varint(batch.producerEpoch);
    }
    if (batch.producerId >= 0) writer.varint(batch.baseSequence);
    before.is(batch);
  }

  duplicate(baseOffset: number, logStartOffset: number): void {
    this.#writer.u8(fate.duplicate);
    this.#writer.varint(baseOffset);
    this.#writer.varint(logStartOffset);
  }

  /** `error` is an index into `entryErrors`. */
  refused(error: number): void {
    this.#writer.u8(fate.refused);
    this.#writer.u8(error);
  }

  /** Ends a file. `forgottenFiles` of the oldest file ids were dropped to make room for this one. */
  endFile(forgottenFiles: number): void {
    this.#writer.varint(forgottenFiles);
  }

  end(): void {
    this.#writer.u8(more.end);
  }
}

/** Receives what `readCommittedFiles` reads. */
export interface CommitVisitor {
  beginFile(fileId: string, fileBytes: number): void;
  /** The batch object is reused for the next one. */
  appended(batch: AppendedBatch): void;
  duplicate(baseOffset: number, logStartOffset: number): void;
  refused(error: number): void;
  endFile(forgottenFiles: number): void;
}

/** Reads all files of an entry. */
export function readCommittedFiles(reader: ByteReader, nowMs: number, visitor: CommitVisitor): void {
  const before = new Before();
  const batch = new AppendedBatch();
  for (let mark = reader.u8(); mark !== more.end; mark = reader.u8()) {
    if (mark !== more.file && mark !== more.transactionalFile) {
      throw new UnreadableBytes(`a file begins with the unknown mark ${mark}`);
    }
    const hasTransactions = mark === more.transactionalFile;
    visitor.beginFile(reader.hex16(), reader.varint());
    before.begin(nowMs);
    for (let left = reader.varint(); left > 0; left--) {
      const bits = reader.u8();
      switch (bits & fateMask) {
        case fate.appended:
          readTransactionBits(reader, hasTransactions, batch);
          readAppended(reader, bits, before, batch);
          before.is(batch);
          visitor.appended(batch);
          break;
        case fate.duplicate:
          visitor.duplicate(reader.varint(), reader.varint());
          break;
        case fate.refused:
          visitor.refused(reader.u8());
          break;
        default:
          throw new UnreadableBytes(`a batch has the unknown outcome ${bits & fateMask}`);
      }
    }
    visitor.endFile(reader.varint());
  }
}

function readTransactionBits(reader: ByteReader, hasTransactions: boolean, batch: AppendedBatch): void {
  const bits = hasTransactions ? reader.u8() : 0;
  batch.isTransactional = (bits & transactional) !== 0;
  batch.joinsTransaction = (bits & joinsTransaction) !== 0;
}

function readAppended(reader: ByteReader, bits: number, before: Before, batch: AppendedBatch): void {
  const isSameTopic = (bits & sameTopic) !== 0;
  batch.startsWindow = (bits & startsWindow) !== 0;
  batch.evictsProducer = (bits & evictsProducer) !== 0;
  batch.topicNumber = isSameTopic ? before.topicNumber : reader.varint();
  batch.partition = reader.zigzag() + (isSameTopic ? before.partition : 0);
  batch.byteStart = (bits & adjacent) !== 0 ? before.end : reader.varint();
  batch.byteLength = reader.varint();
  batch.recordCount = reader.varint();
  batch.maxTimestampMs = (bits & wideTimestamp) !== 0 ? reader.f64() : before.timestampMs + reader.zigzag();
  if ((bits & sameProducer) !== 0) {
    batch.producerId = before.producerId;
    batch.producerEpoch = before.producerEpoch;
  } else {
    batch.producerId = reader.varint() - 1;
    batch.producerEpoch = batch.producerId >= 0 ? reader.varint() : -1;
  }
  batch.baseSequence = batch.producerId >= 0 ? reader.varint() : -1;
}
