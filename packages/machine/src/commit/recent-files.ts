import { entryErrors, type FileCommitResult } from '@weir/cluster';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { RecentReplies } from '../replies/recent-replies.ts';

/** Encodes one answer, batch by batch. */
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

  /** `error` is an index into `entryErrors`, not that of `NONE`. */
  refused(error: number): void {
    this.#writer.u8(error);
  }

  take(): Buffer {
    return this.#writer.take();
  }
}

/**
 * Recent commits by file id: an agent that lost an answer repeats the commit and must get the same offsets. Answers
 * take about six bytes per batch.
 */
export class RecentFiles extends RecentReplies {
  /** Encodes the answer that is added next. */
  readonly reply = new ReplyWriter();

  replyOf(fileId: string): FileCommitResult | undefined {
    const reply = this.get(fileId);
    return reply === undefined ? undefined : decodeReply(reply);
  }

  /** Stores a file with the answer that was written to `reply`. */
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
