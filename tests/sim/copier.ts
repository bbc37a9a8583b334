import { batchRecords, buildRecordBatch, recordBatches } from '@weir/wire';
import { refuse } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import { type CopyLog, textOf } from './copy-history.ts';
import type { ClientDeps } from './deps.ts';
import { fetchOffsets, fetchPositions } from './group-offsets.ts';
import { LoopingClient } from './looping-client.ts';
import { type Generation, Membership } from './membership.ts';

interface CopierOptions {
  readonly transactionalId: string;
  /** Name in its transactions, because another copier may use the same transactional id. */
  readonly name: string;
  readonly groupId: string;
  readonly from: Bootstrap;
  readonly to: Bootstrap;
}

const requestTimeoutMs = 3_000;
const transactionTimeoutMs = 8_000;
const abortChance = 0.15;
const leaveChance = 0.02;

/** Returns the offsets of the records from `fromOffset` on; the first batch may begin before it. */
export function offsetsFrom(_partition: number, fromOffset: number, bytes: Buffer): readonly number[] {
  const offsets: number[] = [];
  for (const view of recordBatches(bytes, { partialTail: 'error' })) {
    if (view.isControl) continue;
    for (const { offset } of batchRecords(view))
      if (Number(offset) >= fromOffset) offsets.push(Number(offset));
  }
  return offsets;
}

/**
 * Reads, writes the output and commits its offsets in one transaction, as a group member. It retries nothing: after any
 * failure it starts again under the next epoch, at the group's committed offsets.
 */
export class Copier extends LoopingClient {
  readonly #history: CopyLog;
  readonly #options: CopierOptions;
  readonly #membership: Membership;
  #producer: { readonly producerId: bigint; readonly producerEpoch: number } | undefined;
  #positions: { readonly of: Generation; readonly at: Map<number, number> } | undefined;
  #transactions = 0;
  #isReplaced = false;

  constructor(world: ClientDeps, history: CopyLog, options: CopierOptions) {
    super(world, options.from, { retryMs: 100 });
    this.#history = history;
    this.#options = options;
    this.#membership = new Membership(this.client, options.from, options.groupId);
    this.start();
  }

  /** Another copier takes over the transactional id. This one does not learn of it and runs until it is fenced. */
  replace(): void {
    this.#isReplaced = true;
  }

  protected override onFailure(error: Error): void {
    this.world.note(`${this.#options.name}: ${error.message}`);
    if (this.#isReplaced) this.isStopped = true;
    this.#membership.failed(error);
    this.#producer = undefined;
    this.#positions = undefined;
  }

  protected async round(): Promise<void> {
    const generation = await this.#membership.current();
    if (this.world.random.next() < leaveChance) {
      this.#positions = undefined;
      return this.#membership.leave();
    }
    this.#producer ??= await this.#initialise();
    if (this.#positions?.of !== generation) {
      const { from, groupId } = this.#options;
      this.#positions = { of: generation, at: await fetchPositions(this.client, from, groupId, generation) };
    }
    const { at } = this.#positions;
    if (at.size === 0) return this.pause(200);
    const found = await fetchOffsets(this.client, this.#options.from, at, offsetsFrom);
    if (found.size > 0) await this.#copy(generation, found);
  }

  async #initialise(): Promise<{ readonly producerId: bigint; readonly producerEpoch: number }> {
    const { transactionalId } = this.#options;
    const body = { transactionalId, transactionTimeoutMs, producerId: -1n, producerEpoch: -1 };
    const answer = await this.client.request('InitProducerId', body, requestTimeoutMs);
    refuse('InitProducerId', answer.errorCode);
    return { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
  }

  async #copy(generation: Generation, found: ReadonlyMap<number, readonly number[]>): Promise<void> {
    const transaction = `${this.#options.name}-${this.#transactions++}`;
    const copies = [...found].flatMap(([partition, offsets]) =>
      offsets.map((offset) => ({ partition, offset, transaction })),
    );
    this.#history.begin(transaction, copies);
    let isCommitRequested = false;
    try {
      await this.#write(transaction, found);
      await this.#commitPositions(generation, found);
      isCommitRequested = this.world.random.next() >= abortChance;
      if (isCommitRequested) this.#history.askCommit(transaction);
      await this.#end(isCommitRequested);
    } catch (error) {
      if (!isCommitRequested) this.#history.abort(transaction);
      throw error;
    }
    if (!isCommitRequested) {
      this.#history.abort(transaction);
      return;
    }
    this.#history.commit(transaction);
    for (const [partition, offsets] of found) this.#positions?.at.set(partition, offsets.at(-1)! + 1);
  }

  async #write(transaction: string, found: ReadonlyMap<number, readonly number[]>): Promise<void> {
    const { transactionalId, to } = this.#options;
    const timestamp = BigInt(Math.floor(this.world.clock.nowMs()));
    const partitionData = [...found].map(([partition, offsets]) => ({
      index: partition,
      records: buildRecordBatch(
        offsets.map((offset) => ({
          timestamp,
          key: null,
          value: Buffer.from(textOf({ partition, offset, transaction })),
        })),
        { ...this.#producer!, baseSequence: 0, isTransactional: true },
      ),
    }));
    const topicData = [{ name: to.topicName, topicId: to.topicId, partitionData }];
    const body = { transactionalId, acks: -1, timeoutMs: requestTimeoutMs, topicData };
    const { responses } = await this.client.request('Produce', body, requestTimeoutMs);
    for (const { errorCode } of responses[0]!.partitionResponses) refuse('Produce', errorCode);
  }

  async #commitPositions(
    { generationId, memberId }: Generation,
    found: ReadonlyMap<number, readonly number[]>,
  ): Promise<void> {
    const { transactionalId, groupId, from } = this.#options;
    const partitions = [...found].map(([partitionIndex, offsets]) => ({
      partitionIndex,
      committedOffset: BigInt(offsets.at(-1)! + 1),
      committedMetadata: '',
    }));
    const topics = [{ name: from.topicName, partitions }];
    const body = { transactionalId, groupId, ...this.#producer!, generationId, memberId, topics };
    const answer = await this.client.request('TxnOffsetCommit', body, requestTimeoutMs);
    for (const { errorCode } of answer.topics[0]!.partitions) refuse('TxnOffsetCommit', errorCode);
  }

  async #end(committed: boolean): Promise<void> {
    const { transactionalId } = this.#options;
    const body = { transactionalId, ...this.#producer!, committed };
    const answer = await this.client.request('EndTxn', body, requestTimeoutMs);
    refuse('EndTxn', answer.errorCode);
    // Each transaction has its own epoch.
    this.#producer = { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
  }
}
