import { entryErrors, type FileCommitResult } from '@weir/cluster';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { RecentReplies } from '../replies/recent-replies.ts';

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
 * Commits of late by file id: an agent that did not hear an answer repeats the commit, and must not get other offsets the
 * second time. Answers take about six bytes per batch.
 */
export class RecentFiles extends RecentReplies {
  /** Writes the answer that is to be added next. */
  readonly reply = new ReplyWriter();

  replyOf(fileId: string): FileCommitResult | undefined {
    const reply = this.get(fileId);
    return reply === undefined ? undefined : decodeReply(reply);
  }

  /** Remembers a file with the answer that was written to `reply`. */
  addWritten(fileId: string, committedMs: number): void {
    this.add(fileId, committedMs, this.reply.take());
  }
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
