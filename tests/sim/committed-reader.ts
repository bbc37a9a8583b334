import assert from 'node:assert/strict';
import { batchRecords, readControlRecord, recordBatches } from '@weir/wire';
import { refuse } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import type { ReadLog } from './copy-history.ts';
import type { ClientDeps } from './deps.ts';
import { LoopingClient } from './looping-client.ts';

const requestTimeoutMs = 3_000;
const readCommitted = 1;

interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

/** Reads the copy with read_committed and checks every record. */
export class CommittedReader extends LoopingClient {
  readonly #history: ReadLog;
  readonly #bootstrap: Bootstrap;
  readonly #name: string;
  readonly #positions: number[];
  readonly #texts: string[][];
  /** Last known end offset of each partition. */
  readonly #ends: number[];

  constructor(world: ClientDeps, history: ReadLog, bootstrap: Bootstrap, name: string) {
    super(world, bootstrap, { retryMs: 50 });
    this.#history = history;
    this.#bootstrap = bootstrap;
    this.#name = name;
    this.#positions = new Array<number>(bootstrap.partitionCount).fill(0);
    this.#texts = this.#positions.map(() => []);
    this.#ends = this.#positions.map(() => -1);
    this.start();
  }

  /** Records read per partition. */
  get counts(): readonly number[] {
    return this.#texts.map(({ length }) => length);
  }

  /** Whether it has read everything and no transaction is open. */
  get isAtEnd(): boolean {
    return this.#positions.every((position, partition) => position === this.#ends[partition]);
  }

  get texts(): readonly string[] {
    return this.#texts.flat();
  }

  protected async round(): Promise<void> {
    if (this.world.random.next() < 0.1) this.client.cut();
    await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { topicName, topicId } = this.#bootstrap;
    const partitions = this.#positions.map((offset, partition) => ({
      partition,
      fetchOffset: BigInt(offset),
      partitionMaxBytes: 4_000,
    }));
    const body = {
      maxWaitMs: 300,
      minBytes: 1,
      maxBytes: 8_000,
      isolationLevel: readCommitted,
      topics: [{ topic: topicName, topicId, partitions }],
    };
    const answer = await this.client.request('Fetch', body, requestTimeoutMs);
    for (const one of answer.responses[0]?.partitions ?? []) {
      refuse('Fetch', one.errorCode);
      const { partitionIndex, records, abortedTransactions, lastStableOffset } = one;
      this.#ends[partitionIndex] = Number(one.highWatermark);
      this.#take(partitionIndex, records ?? Buffer.alloc(0), abortedTransactions ?? [], lastStableOffset);
    }
  }

  /** Skips records of aborted transactions. The response has the first offset of each; its marker is the end. */
  #take(
    partition: number,
    bytes: Buffer,
    aborted: readonly AbortedTransaction[],
    lastStableOffset: bigint,
  ): void {
    const waiting = [...aborted].sort((a, b) => Number(a.firstOffset - b.firstOffset));
    const open = new Set<bigint>();
    for (const view of recordBatches(bytes, { partialTail: 'error' })) {
      const { nextOffset, producerId } = view;
      const where = `${this.#name}: partition ${partition} of the copy, offset ${view.baseOffset}`;
      assert.ok(nextOffset <= lastStableOffset, `${where}: lies behind what is decided, ${lastStableOffset}`);
      while (waiting.length > 0 && waiting[0]!.firstOffset < nextOffset)
        open.add(waiting.shift()!.producerId);
      if (view.isControl) {
        const marker = readControlRecord(view);
        if (marker.kind === 'endTransaction' && marker.result === 'abort') open.delete(producerId);
      } else if (!open.has(producerId)) {
        for (const { offset, value } of batchRecords(view)) {
          if (Number(offset) < this.#positions[partition]!) continue;
          const texts = this.#texts[partition]!;
          this.#history.read(this.#name, partition, texts.length, String(value), Number(offset));
          texts.push(String(value));
        }
      }
      this.#positions[partition] = Number(nextOffset);
    }
  }
}
