import assert from 'node:assert/strict';
import { buildRecordBatch, errorByCode, recordBatches } from '@weir/wire';
import { staleMs } from '../../packages/broker/src/cluster/following-view.ts';
import type { Bootstrap } from './bootstrap.ts';
import { type Broker, type Connection, ConnectionLost } from './client.ts';
import type { ClientDeps } from './deps.ts';

const requestTimeoutMs = 3_000;
const pauseMsMax = 120;
const earliest = -2n;
/** What an agent may not know yet: until its view is stale, and a message arrives on a slow network. */
const lagMsMax = staleMs + 1_000;
const recordsPerBatch = 2;
const observerCount = 3;
/** Observers read this far below the highest log start that was shown. */
const backOffsetsMax = 20;

/** What agents have shown, of one partition. Offsets grow, and log starts never go back. */
class ShownStarts {
  readonly #byAgent = new Map<string, number>();
  readonly #history: [shownMs: number, logStart: number][] = [];
  /** The highest one that any agent has shown. */
  highest = 0;
  #end = 0;

  get end(): number {
    return this.#end;
  }

  by(agentId: string): number {
    return this.#byAgent.get(agentId) ?? 0;
  }

  show(agentId: string, logStart: number, nowMs: number): void {
    this.#byAgent.set(agentId, Math.max(this.by(agentId), logStart));
    if (logStart <= this.highest) return;
    this.highest = logStart;
    this.#history.push([nowMs, logStart]);
  }

  /** The highest one that any agent had shown some time before. */
  longBefore(nowMs: number): number {
    return this.#history.findLast(([shownMs]) => shownMs <= nowMs - lagMsMax)?.[1] ?? 0;
  }

  grow(end: number): void {
    this.#end = Math.max(this.#end, end);
  }
}

/**
 * A topic whose records are deleted while it grows, and observers that look for its start on all agents.
 *
 * Invariants: the log start that an agent shows, in any answer, is never below one that it has shown before the request
 * was sent, nor does it serve records that end below it. The start that ListOffsets and DeleteRecords show is that of
 * the leader, and never below one that any agent has shown before. Records that other agents have shown as gone for
 * longer than an agent trusts its view are not served.
 */
export class LogStartWork {
  readonly #world: ClientDeps;
  readonly #bootstrap: Bootstrap;
  readonly #shown: readonly ShownStarts[];
  #isStopped = false;

  constructor(world: ClientDeps, bootstrap: Bootstrap) {
    this.#world = world;
    this.#bootstrap = bootstrap;
    this.#shown = Array.from({ length: bootstrap.partitionCount }, () => new ShownStarts());
    this.#repeat((connection) => this.#append(connection));
    this.#repeat((connection) => this.#delete(connection));
    for (let observer = 0; observer < observerCount; observer++) {
      this.#repeat((connection) => this.#list(connection));
      this.#repeat((connection) => this.#read(connection));
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #repeat(round: (connection: Connection) => Promise<void>): void {
    const { random, clock } = this.#world;
    const work = async () => {
      let connection: Connection | undefined;
      while (!this.#isStopped) {
        if (connection?.isOpen !== true || random.next() < 0.2) {
          connection?.close('moves on');
          const brokers = this.#bootstrap.brokers();
          connection = this.#bootstrap.connect(brokers[random.below(brokers.length)]!);
        }
        try {
          await round(connection);
        } catch (error) {
          if (!(error instanceof ConnectionLost)) throw error;
        }
        await new Promise<void>((resolve) => clock.after(random.next() * pauseMsMax, resolve));
      }
      connection?.close('done');
    };
    work().catch((error) => this.#world.problem(error));
  }

  async #append(connection: Connection): Promise<void> {
    const { topicId, topicName, partitionCount } = this.#bootstrap;
    const index = this.#world.random.below(partitionCount);
    const timestamp = BigInt(Math.floor(this.#world.clock.nowMs()));
    const records = buildRecordBatch(
      Array.from({ length: recordsPerBatch }, () => ({ timestamp, key: null, value: Buffer.from('x') })),
      {},
    );
    const topicData = [{ name: topicName, topicId, partitionData: [{ index, records }] }];
    const before = this.#shown[index]!.by(connection.broker.agentId);
    const answer = await connection.request(
      'Produce',
      { acks: -1, timeoutMs: requestTimeoutMs, topicData },
      requestTimeoutMs,
    );
    const { errorCode, baseOffset, logStartOffset } = answer.responses[0]!.partitionResponses[0]!;
    if (errorCode !== 0) return;
    this.#shown[index]!.grow(Number(baseOffset) + recordsPerBatch);
    this.#check('Produce', connection.broker, index, Number(logStartOffset), before);
  }

  async #delete(connection: Connection): Promise<void> {
    const { random, tally } = this.#world;
    const { topicName, partitionCount } = this.#bootstrap;
    const partitionIndex = random.below(partitionCount);
    const shown = this.#shown[partitionIndex]!;
    if (shown.end <= shown.highest || random.next() < 0.5) return;
    const offset = BigInt(shown.highest + 1 + random.below(shown.end - shown.highest));
    const before = shown.highest;
    const topics = [{ name: topicName, partitions: [{ partitionIndex, offset }] }];
    const answer = await connection.request(
      'DeleteRecords',
      { topics, timeoutMs: requestTimeoutMs },
      requestTimeoutMs,
    );
    const { errorCode, lowWatermark } = answer.topics[0]!.partitions[0]!;
    if (errorCode !== 0) return;
    tally.logStartsMoved++;
    this.#check('DeleteRecords', connection.broker, partitionIndex, Number(lowWatermark), before);
  }

  async #list(connection: Connection): Promise<void> {
    const { topicName, partitionCount } = this.#bootstrap;
    const partitions = Array.from({ length: partitionCount }, (_, partitionIndex) => ({
      partitionIndex,
      timestamp: earliest,
    }));
    const before = this.#shown.map(({ highest }) => highest);
    const answer = await connection.request(
      'ListOffsets',
      { replicaId: -1, isolationLevel: 0, topics: [{ name: topicName, partitions }] },
      requestTimeoutMs,
    );
    for (const { partitionIndex, errorCode, offset } of answer.topics[0]!.partitions)
      if (errorCode === 0)
        this.#check(
          'ListOffsets',
          connection.broker,
          partitionIndex,
          Number(offset),
          before[partitionIndex]!,
        );
  }

  /** Reads a little below the start that was shown, and at it. */
  async #read(connection: Connection): Promise<void> {
    const { random } = this.#world;
    const { topicName, topicId, partitionCount } = this.#bootstrap;
    const partition = random.below(partitionCount);
    const shown = this.#shown[partition]!;
    const { agentId } = connection.broker;
    const before = shown.by(agentId);
    const nowMs = this.#world.clock.monotonicMs();
    const from = Math.max(0, shown.highest - random.below(backOffsetsMax));
    const answer = await connection.request(
      'Fetch',
      {
        maxWaitMs: 0,
        minBytes: 0,
        maxBytes: 2_000,
        topics: [
          {
            topic: topicName,
            topicId,
            partitions: [{ partition, fetchOffset: BigInt(from), partitionMaxBytes: 2_000 }],
          },
        ],
      },
      requestTimeoutMs,
    );
    const read = answer.responses[0]?.partitions[0];
    if (read === undefined || read.errorCode !== 0) {
      const error = errorByCode(read?.errorCode ?? 0)?.name;
      if (error === 'OFFSET_OUT_OF_RANGE') this.#world.tally.readsRefused++;
      return;
    }
    this.#check('Fetch', connection.broker, partition, Number(read.logStartOffset), before);
    const longBefore = shown.longBefore(nowMs);
    for (const { baseOffset, nextOffset } of recordBatches(read.records ?? Buffer.alloc(0), {
      partialTail: 'error',
    }))
      assert.ok(
        Number(nextOffset) > Math.max(before, longBefore),
        `${agentId} served records ${baseOffset} to ${nextOffset} of partition ${partition}, after it had shown ` +
          `that it begins at ${before}, and others ${longBefore}`,
      );
  }

  #check(what: string, { agentId }: Broker, partition: number, logStart: number, before: number): void {
    assert.ok(
      logStart >= before,
      `${what} of ${agentId} showed that partition ${partition} begins at ${logStart}, after ${before}`,
    );
    this.#shown[partition]!.show(agentId, logStart, this.#world.clock.monotonicMs());
  }
}
