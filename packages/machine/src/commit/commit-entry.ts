import type { ByteReader } from '../bytes/byte-reader.ts';
import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';

/**
 * How the journal tells the fate of the batches of a file. The first byte of a batch says what became of it and what is as
 * in the batch before, so that a batch usually costs ten to fifteen bytes.
 */

/**
 * Stands before every file, and behind the last, so that an entry that lost its end is not taken for a shorter one. A file with
 * batches of transactions has a second byte per appended batch; entries of the first kind have none of these.
 */
const more = { file: 1, transactionalFile: 2, end: 0 } as const;

/** The two lowest bits. */
const fate = { appended: 0, duplicate: 1, refused: 2 } as const;
const fateMask = 3;

/** Bits of appended batches. */
const sameTopic = 1 << 2;
/** It lies in the file directly behind the batch before. */
const adjacent = 1 << 3;
const sameProducer = 1 << 4;
/** The producer's window begins with this batch. */
const startsWindow = 1 << 5;
/** The producer that was silent longest is forgotten first. */
const evictsProducer = 1 << 6;
/** The timestamp is too far from the one before and written in full. */
const wideTimestamp = 1 << 7;

/** Bits of the second byte. */
const transactional = 1 << 0;
/** The partition becomes part of the transaction with this batch. */
const joinsTransaction = 1 << 1;

/** Everything about an appended batch. One object is used again and again, as there may be a million batches per second. */
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

/** What the writer and the reader remember of the batch before. A file begins with nothing. */
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

  /** A position in `entryErrors`. */
  refused(error: number): void {
    this.#writer.u8(fate.refused);
    this.#writer.u8(error);
  }

  /** `forgottenFiles` of the oldest file ids made room for this one. */
  endFile(forgottenFiles: number): void {
    this.#writer.varint(forgottenFiles);
  }

  end(): void {
    this.#writer.u8(more.end);
  }
}

/** What a reader does with what it reads. */
export interface CommitVisitor {
  beginFile(fileId: string, fileBytes: number): void;
  /** The batch is used again for the next one. */
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
          throw new UnreadableBytes(`a batch has the unknown fate ${bits & fateMask}`);
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
