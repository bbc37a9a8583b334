import assert from 'node:assert/strict';
import { positionHeadBytes, recordBatches } from '@weir/wire';
import type { Tally } from './tally.ts';

/** A batch that a producer sends, and its outcome. */
export interface SentBatch {
  readonly producer: ProducerKind;
  readonly partition: number;
  /** Counter per producer and partition. */
  readonly number: number;
  readonly bytes: Buffer;
  readonly recordCount: number;
  attempts: number;
  /** -1 until acknowledged. */
  offset: number;
}

export interface ProducerKind {
  readonly name: string;
  readonly isIdempotent: boolean;
  /**
   * Whether order is guaranteed: the producer waits for each answer before it sends the next batch, or has sequences.
   */
  readonly isOrdered: boolean;
}

/** Receives what producers do. */
export interface ProduceLog {
  send(batch: SentBatch): void;
  acknowledge(batch: SentBatch, offset: number, agentId: string): void;
}

interface ReadBatch {
  readonly offset: number;
  readonly nextOffset: number;
  readonly sent: SentBatch;
}

/**
 * What was sent, acknowledged and read. Invariants: an acknowledged batch is readable at its offset with its bytes,
 * exactly once or, for non-idempotent producers, at least once; offsets have no gaps; order is preserved; only sent
 * batches appear; a batch that was read stays; and the high watermark that a reader sees never goes back.
 */
export class History implements ProduceLog {
  readonly #tally: Tally;
  readonly #byContent = new Map<string, SentBatch>();
  readonly #sent: SentBatch[] = [];
  /** Batches that any reader has read, by partition and first offset. */
  readonly #read: Map<number, ReadBatch>[] = [];
  readonly #watermarks = new Map<string, number>();
  readonly #reportedEnds = new Map<string, number>();

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  get unacknowledged(): number {
    return this.#sent.filter(({ offset }) => offset < 0).length;
  }

  send(batch: SentBatch): void {
    const content = contentOf(batch.bytes);
    assert.ok(!this.#byContent.has(content), 'every batch is another');
    this.#byContent.set(content, batch);
    this.#sent.push(batch);
  }

  acknowledge(batch: SentBatch, offset: number, agentId: string): void {
    assert.ok(offset >= 0, `${nameOf(batch)} was acknowledged without an offset`);
    if (batch.offset < 0) {
      batch.offset = offset;
      this.#tally.batchesAcknowledged++;
    } else if (batch.producer.isIdempotent) {
      assert.equal(offset, batch.offset, `${nameOf(batch)} was acknowledged at two offsets`);
    }
    const key = `${agentId}/${batch.partition}`;
    this.#reportedEnds.set(key, Math.max(this.#reportedEnds.get(key) ?? 0, offset + batch.recordCount));
  }

  /** The end offset that an agent has reported in its answers: a lower bound for its later answers. */
  endReportedBy(agentId: string, partition: number): number {
    return this.#reportedEnds.get(`${agentId}/${partition}`) ?? 0;
  }

  /** Checks a high watermark that a reader received. */
  watermark(reader: string, partition: number, highWatermark: number, atLeast: number): void {
    const key = `${reader}/${partition}`;
    const before = this.#watermarks.get(key) ?? 0;
    assert.ok(
      highWatermark >= before,
      `${reader} was told that partition ${partition} ends at ${highWatermark}, after ${before}`,
    );
    assert.ok(
      highWatermark >= atLeast,
      `${reader} was told that partition ${partition} ends at ${highWatermark}, and a producer ${atLeast}`,
    );
    this.#watermarks.set(key, highWatermark);
  }

  /** Checks the batches of a fetch and returns the next offset. */
  read(partition: number, fromOffset: number, bytes: Buffer, highWatermark: number): number {
    let next = fromOffset;
    for (const view of recordBatches(bytes, { partialTail: 'error' })) {
      const offset = Number(view.baseOffset);
      const nextOffset = Number(view.nextOffset);
      const where = `partition ${partition}, offset ${offset}`;
      if (next === fromOffset) {
        assert.ok(
          offset <= next && nextOffset > next,
          `${where}: does not hold offset ${next} that was asked for`,
        );
      } else {
        assert.equal(offset, next, `${where}: there is a gap`);
      }
      assert.ok(nextOffset <= highWatermark, `${where}: lies behind the end, ${highWatermark}`);
      const sent = this.#byContent.get(contentOf(view.bytes));
      assert.ok(sent !== undefined, `${where}: nobody ever sent this`);
      assert.equal(sent.partition, partition, `${where}: was sent to another partition`);
      assert.equal(nextOffset - offset, sent.recordCount, `${where}: has another number of records`);
      this.#keep(partition, { offset, nextOffset, sent }, where);
      this.#tally.batchesRead++;
      next = nextOffset;
    }
    return next;
  }

  #keep(partition: number, batch: ReadBatch, where: string): void {
    this.#read[partition] ??= new Map();
    const before = this.#read[partition].get(batch.offset);
    if (before !== undefined) assert.equal(batch.sent, before.sent, `${where}: was something else before`);
    this.#read[partition].set(batch.offset, batch);
  }

  /** Checks a whole partition after it was read from 0 to its end. */
  checkPartition(partition: number, end: number): void {
    const log = [...(this.#read[partition]?.values() ?? [])].sort((a, b) => a.offset - b.offset);
    let next = 0;
    const times = new Map<SentBatch, number>();
    const lastNumber = new Map<string, number>();
    for (const { offset, nextOffset, sent } of log) {
      assert.equal(offset, next, `partition ${partition}: offsets are dense`);
      next = nextOffset;
      times.set(sent, (times.get(sent) ?? 0) + 1);
      if (!sent.producer.isIdempotent) continue;
      const before = lastNumber.get(sent.producer.name) ?? -1;
      assert.ok(sent.number > before, `${nameOf(sent)} at offset ${offset} comes behind number ${before}`);
      lastNumber.set(sent.producer.name, sent.number);
    }
    assert.equal(next, end, `partition ${partition}: everything up to the end was read`);

    const lastOffset = new Map<string, number>();
    for (const batch of this.#sent) {
      if (batch.partition !== partition) continue;
      const found = times.get(batch) ?? 0;
      const timesMax = batch.producer.isIdempotent ? 1 : batch.attempts;
      assert.ok(found <= timesMax, `${nameOf(batch)} is there ${found} times`);
      if (batch.offset < 0) continue;
      assert.ok(found > 0, `${nameOf(batch)} was acknowledged at offset ${batch.offset} and is lost`);
      const there = this.#read[partition]?.get(batch.offset)?.sent;
      const instead = there === undefined ? 'nothing begins' : `${nameOf(there)} is`;
      assert.equal(
        there,
        batch,
        `${nameOf(batch)} was acknowledged at offset ${batch.offset}, where ${instead}`,
      );
      if (!batch.producer.isOrdered) continue;
      const before = lastOffset.get(batch.producer.name) ?? -1;
      assert.ok(
        batch.offset > before,
        `${nameOf(batch)} was acknowledged at ${batch.offset}, after ${before}`,
      );
      lastOffset.set(batch.producer.name, batch.offset);
    }
  }
}

/** Returns a batch without the fields that the broker sets. */
function contentOf(bytes: Buffer): string {
  return bytes.toString('latin1', positionHeadBytes);
}

export function nameOf({ producer, partition, number }: SentBatch): string {
  return `batch ${number} of ${producer.name} for partition ${partition}`;
}
