import type { Clock } from '@weir/core';
import { RecordBatchBuilder, type TimestampType } from '@weir/wire';
import { migrationLimits } from '../limits.ts';
import { BadMessage, type OldEntry, type OldMessage, readOldEntry } from './old-messages.ts';

/**
 * Puts messages of the formats before 2017 into batches of the current format, with the same offsets, timestamps and
 * codecs. Messages that follow each other share a batch; a wrapper has one of its own.
 */
export class RebuiltBatches {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #finished: Buffer[] = [];
  #open: OpenBatch | undefined;
  #lastOffset: number;
  #inflatedBytes = 0;

  /** Messages below `expectedOffset` are left out: they are copied already. */
  constructor(expectedOffset: number, clock: Pick<Clock, 'after'>) {
    this.#lastOffset = expectedOffset - 1;
    this.#clock = clock;
  }

  /** Whether no more should be added in this turn. */
  get isFull(): boolean {
    return this.#inflatedBytes >= migrationLimits.oldAnswerInflatedBytesMax;
  }

  /** Adds one whole entry. Throws `BadMessage`. */
  async add(bytes: Buffer): Promise<void> {
    const entry = await readOldEntry(bytes, this.#clock);
    this.#inflatedBytes += entry.inflatedBytes;
    const fresh = this.#freshOf(entry);
    if (fresh.length === 0) return;
    if (entry.codec === 'none') this.#append(entry.timestampType, fresh[0]!);
    else {
      this.#close();
      this.#finished.push(await wrapperBatch(entry, fresh));
    }
    this.#lastOffset = fresh.at(-1)!.offset;
  }

  /** The batches since the last call. */
  take(): Buffer[] {
    this.#close();
    return this.#finished.splice(0);
  }

  #freshOf({ messages }: OldEntry): readonly OldMessage[] {
    const fresh = messages.filter(({ offset }) => offset > this.#lastOffset);
    for (const [index, { offset }] of fresh.entries()) {
      if (index > 0 && offset <= fresh[index - 1]!.offset)
        throw new BadMessage('has offsets inside it that do not increase');
    }
    if (fresh.length > 0 && fresh.at(-1)!.offset - fresh[0]!.offset > offsetDeltaMax)
      throw new BadMessage('has offsets inside it that are too far apart');
    return fresh;
  }

  #append(timestampType: TimestampType, message: OldMessage): void {
    if (this.#open !== undefined && !fits(this.#open, timestampType, message)) this.#close();
    this.#open ??= {
      timestampType,
      baseOffset: message.offset,
      firstTimestamp: message.timestamp,
      builder: new RecordBatchBuilder({ baseOffset: BigInt(message.offset), timestampType }),
    };
    this.#open.builder.append({ ...message, offset: BigInt(message.offset) });
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#finished.push(this.#open.builder.finish());
    this.#open = undefined;
  }
}

interface OpenBatch {
  readonly builder: RecordBatchBuilder;
  readonly timestampType: TimestampType;
  readonly baseOffset: number;
  readonly firstTimestamp: bigint;
}

const offsetDeltaMax = 2 ** 31 - 2;

/** A batch with the time of the broker has one time for all its records. */
function fits(open: OpenBatch, timestampType: TimestampType, { offset, timestamp }: OldMessage): boolean {
  return (
    timestampType === open.timestampType &&
    (timestampType === 'createTime' || timestamp === open.firstTimestamp) &&
    offset - open.baseOffset <= offsetDeltaMax &&
    open.builder.uncompressedBytes < migrationLimits.rebuiltBatchBytes
  );
}

function wrapperBatch(
  { codec, timestampType, inflatedBytes }: OldEntry,
  messages: readonly OldMessage[],
): Promise<Buffer> {
  const builder = new RecordBatchBuilder({
    baseOffset: BigInt(messages[0]!.offset),
    codec,
    timestampType,
    expectedBytes: inflatedBytes,
  });
  for (const message of messages) builder.append({ ...message, offset: BigInt(message.offset) });
  return builder.finishOffThread();
}
