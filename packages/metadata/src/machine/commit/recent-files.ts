import { entryErrors, type FileCommitResult } from '../../cluster/port.ts';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** Writes one answer, batch by batch. */
export class ReplyWriter {
  readonly #writer = new ByteWriter();

  get length(): number {
    return this.#writer.length;
  }

  accepted(baseOffset: number, logStartOffset: number): void {
    this.#writer.u8(0);
    this.#writer.varint(baseOffset);
    this.#writer.varint(logStartOffset);
  }

  /** A position in `entryErrors` other than that of `NONE`. */
  refused(error: number): void {
    this.#writer.u8(error);
  }

  take(): Buffer {
    return this.#writer.take();
  }
}

/**
 * Commits of late, with their answers: an agent that did not hear an answer repeats the commit, and must not get other offsets
 * the second time. Answers are kept as bytes, about six per batch.
 */
export class RecentFiles {
  readonly #files = new Map<string, RecentFile>();
  /** From the oldest on. A map alone would have to walk over what was deleted at its front. */
  readonly #order: RecentFile[] = [];
  #oldest = 0;
  #replyBytes = 0;
  /** Writes the answer that is to be added next. */
  readonly reply = new ReplyWriter();

  get count(): number {
    return this.#files.size;
  }

  has(fileId: string): boolean {
    return this.#files.has(fileId);
  }

  replyOf(fileId: string): FileCommitResult | undefined {
    const file = this.#files.get(fileId);
    return file === undefined ? undefined : decodeReply(file.reply);
  }

  /** Remembers a file with the answer that was written to `reply`. */
  addWritten(fileId: string, committedMs: number): void {
    this.add(fileId, committedMs, this.reply.take());
  }

  add(fileId: string, committedMs: number, reply: Buffer): void {
    const file = { fileId, committedMs, reply };
    this.#files.set(fileId, file);
    this.#order.push(file);
    this.#replyBytes += reply.length;
  }

  /** How many of the oldest have to go to make room for another answer. */
  countBeyond(filesMax: number, replyBytesMax: number, replyBytes: number): number {
    let count = 0;
    let bytes = this.#replyBytes + replyBytes;
    while (count < this.count && (this.count - count >= filesMax || bytes > replyBytesMax)) {
      bytes -= this.#order[this.#oldest + count]!.reply.length;
      count++;
    }
    return count;
  }

  /** How many were committed at that time or before. They are the oldest ones. */
  countOlder(committedMs: number): number {
    let count = 0;
    while (count < this.count && this.#order[this.#oldest + count]!.committedMs <= committedMs) count++;
    return count;
  }

  forgetOldest(count: number): void {
    for (let left = Math.min(count, this.count); left > 0; left--) {
      const file = this.#order[this.#oldest++]!;
      this.#files.delete(file.fileId);
      this.#replyBytes -= file.reply.length;
    }
    // Moving the rest costs no more than what was forgotten since the last time.
    if (this.#oldest > this.#order.length / 2) {
      this.#order.splice(0, this.#oldest);
      this.#oldest = 0;
    }
  }

  *oldestFirst(): Generator<RecentFile> {
    for (let index = this.#oldest; index < this.#order.length; index++) yield this.#order[index]!;
  }
}

export interface RecentFile {
  readonly fileId: string;
  readonly committedMs: number;
  readonly reply: Buffer;
}

function decodeReply(reply: Buffer): FileCommitResult {
  const reader = new ByteReader(reply);
  const error: number[] = [];
  const baseOffset: number[] = [];
  const logStartOffset: number[] = [];
  while (reader.left > 0) {
    const code = reader.u8();
    const isAccepted = entryErrors[code] === 'NONE';
    error.push(code);
    baseOffset.push(isAccepted ? reader.varint() : -1);
    logStartOffset.push(isAccepted ? reader.varint() : -1);
  }
  return {
    error: Uint8Array.from(error),
    baseOffset: Float64Array.from(baseOffset),
    logStartOffset: Float64Array.from(logStartOffset),
  };
}
