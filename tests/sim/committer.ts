import assert from 'node:assert/strict';
import { type AnyBrokerClient, refuse } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import { offsetsFrom } from './copier.ts';
import type { ClientDeps } from './deps.ts';
import { fetchOffsets, fetchPositions } from './group-offsets.ts';
import { LoopingClient } from './looping-client.ts';
import type { Generation, GroupMembership } from './membership.ts';

const leaveChance = 0.03;
const requestTimeoutMs = 3_000;

/** Receives what group members do. */
export interface OffsetLog {
  /** A member fetches the group's positions. The caller passes the answer to the returned function. */
  fetch(member: string, partitions: readonly number[]): (at: ReadonlyMap<number, number>) => void;
  /** A member commits positions. The caller calls the returned function on the acknowledgement. */
  commit(member: string, generationId: number, next: ReadonlyMap<number, number>): () => void;
}

/** Committed positions of a group. An acknowledged position must never go back. */
export class CommittedPositions implements OffsetLog {
  readonly #acknowledged = new Map<number, number>();

  of(partition: number): number {
    return this.#acknowledged.get(partition) ?? 0;
  }

  fetch(member: string, partitions: readonly number[]): (at: ReadonlyMap<number, number>) => void {
    const before = partitions.map((partition) => this.of(partition));
    return (at) => {
      for (const [index, partition] of partitions.entries()) {
        assert.ok(
          at.get(partition)! >= before[index]!,
          `${member}: partition ${partition} is committed to ${at.get(partition)}, after ${before[index]}`,
        );
      }
      // A position returned by a fetch counts as acknowledged.
      this.#acknowledge(at);
    };
  }

  commit(_member: string, _generationId: number, next: ReadonlyMap<number, number>): () => void {
    return () => this.#acknowledge(next);
  }

  #acknowledge(offsets: ReadonlyMap<number, number>): void {
    for (const [partition, offset] of offsets)
      this.#acknowledged.set(partition, Math.max(this.of(partition), offset));
  }
}

/** A group member that reads and commits, and sometimes leaves and rejoins. */
export class Committer extends LoopingClient {
  readonly #bootstrap: Bootstrap;
  readonly #name: string;
  readonly #log: OffsetLog;
  readonly #membership: GroupMembership;
  #positions: { readonly of: Generation; readonly at: Map<number, number> } | undefined;

  constructor(
    world: ClientDeps,
    bootstrap: Bootstrap,
    name: string,
    join: (client: AnyBrokerClient) => GroupMembership,
    log: OffsetLog,
  ) {
    super(world, bootstrap, { retryMs: 100 });
    this.#bootstrap = bootstrap;
    this.#name = name;
    this.#log = log;
    this.#membership = join(this.client);
    this.start();
  }

  protected override onFailure(error: Error): void {
    this.world.note(`${this.#name}: ${error.message}`);
    this.#membership.failed(error);
    this.#positions = undefined;
  }

  protected async round(): Promise<void> {
    const generation = await this.#membership.current();
    if (this.world.random.next() < leaveChance) {
      this.#positions = undefined;
      return this.#membership.leave();
    }
    if (this.#positions?.of !== generation) {
      const recordFetched = this.#log.fetch(this.#name, generation.partitions);
      const at = await fetchPositions(this.client, this.#bootstrap, this.#membership.groupId, generation);
      recordFetched(at);
      this.#positions = { of: generation, at };
    }
    const { at } = this.#positions;
    const found = await fetchOffsets(this.client, this.#bootstrap, at, offsetsFrom);
    if (found.size === 0) return;
    const next = new Map([...found].map(([partition, offsets]) => [partition, offsets.at(-1)! + 1]));
    const acknowledged = this.#log.commit(this.#name, generation.generationId, next);
    await this.#commit(generation, next);
    acknowledged();
    for (const [partition, offset] of next) at.set(partition, offset);
  }

  async #commit({ generationId, memberId }: Generation, next: ReadonlyMap<number, number>): Promise<void> {
    const { topicName, topicId } = this.#bootstrap;
    const partitions = [...next].map(([partitionIndex, offset]) => ({
      partitionIndex,
      committedOffset: BigInt(offset),
      committedMetadata: '',
    }));
    const body = {
      groupId: this.#membership.groupId,
      generationIdOrMemberEpoch: generationId,
      memberId,
      topics: [{ name: topicName, topicId, partitions }],
    };
    const answer = await this.client.request('OffsetCommit', body, requestTimeoutMs);
    for (const { errorCode } of answer.topics[0]!.partitions) refuse('OffsetCommit', errorCode);
  }
}
