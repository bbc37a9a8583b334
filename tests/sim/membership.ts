import { type AnyBrokerClient, Refused, refuse } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';

const sessionTimeoutMs = 6_000;
const rebalanceTimeoutMs = 6_000;
/** A JoinGroup waits for all other members. */
const joinTimeoutMs = 15_000;
const requestTimeoutMs = 3_000;
const protocol = { protocolType: 'copying', protocolName: 'in turn' };

/** The state of a member until the next rebalance. */
export interface Generation {
  readonly memberId: string;
  readonly generationId: number;
  readonly partitions: readonly number[];
}

/** A member of a group, of any type. */
export interface GroupMembership {
  readonly groupId: string;
  /** Sends a heartbeat, or joins if needed. */
  current(): Promise<Generation>;
  /** Handles an error response to another request of the group. */
  failed(error: unknown): void;
  /** Leaves the group; its partitions go to other members. */
  leave(): Promise<void>;
}

/** A member of a classic group that shares the partitions of a topic. */
export class Membership implements GroupMembership {
  readonly groupId: string;
  readonly #client: AnyBrokerClient;
  readonly #bootstrap: Bootstrap;
  #memberId = '';
  #generation: Generation | undefined;

  constructor(client: AnyBrokerClient, bootstrap: Bootstrap, groupId: string) {
    this.#client = client;
    this.#bootstrap = bootstrap;
    this.groupId = groupId;
  }

  async current(): Promise<Generation> {
    this.#generation ??= await this.#join();
    const { generationId, memberId } = this.#generation;
    const body = { groupId: this.groupId, generationId, memberId };
    refuse('Heartbeat', (await this.#client.request('Heartbeat', body, requestTimeoutMs)).errorCode);
    return this.#generation;
  }

  failed(error: unknown): void {
    if (!(error instanceof Refused)) return;
    if (error.error === 'UNKNOWN_MEMBER_ID') this.#memberId = '';
    const isOver = ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'REBALANCE_IN_PROGRESS'];
    if (isOver.includes(error.error)) this.#generation = undefined;
  }

  async leave(): Promise<void> {
    const memberId = this.#memberId;
    this.#generation = undefined;
    this.#memberId = '';
    if (memberId === '') return;
    const body = { groupId: this.groupId, members: [{ memberId }] };
    await this.#client.request('LeaveGroup', body, requestTimeoutMs);
  }

  async #join(): Promise<Generation> {
    const { groupId } = this;
    const joined = await this.#client.request(
      'JoinGroup',
      {
        groupId,
        sessionTimeoutMs,
        rebalanceTimeoutMs,
        memberId: this.#memberId,
        protocolType: protocol.protocolType,
        protocols: [{ name: protocol.protocolName, metadata: Buffer.alloc(0) }],
      },
      joinTimeoutMs,
    );
    if (joined.memberId !== '') this.#memberId = joined.memberId;
    refuse('JoinGroup', joined.errorCode);
    const { generationId, memberId, leader, members } = joined;
    const assignments = leader === memberId ? this.#assign(members.map((member) => member.memberId)) : [];
    const synced = await this.#client.request(
      'SyncGroup',
      { groupId, generationId, memberId, ...protocol, assignments },
      joinTimeoutMs,
    );
    refuse('SyncGroup', synced.errorCode);
    return { memberId, generationId, partitions: JSON.parse(String(synced.assignment)) as number[] };
  }

  #assign(memberIds: readonly string[]): { memberId: string; assignment: Buffer }[] {
    const all = Array.from({ length: this.#bootstrap.partitionCount }, (_, partition) => partition);
    return memberIds.map((memberId, turn) => {
      const partitions = all.filter((partition) => partition % memberIds.length === turn);
      return { memberId, assignment: Buffer.from(JSON.stringify(partitions)) };
    });
  }
}
