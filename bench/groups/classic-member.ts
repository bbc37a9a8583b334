import { apis } from '@weir/wire';
import type { KafkaConnection } from '../../packages/client/src/connection.ts';
import { writeAssignment, writeSubscription } from '../../packages/cluster/src/consumer-protocol.ts';
import { succeeded } from './answer.ts';

const timeoutMs = 120_000;
/** The last JoinGroup version that admits a member without a second request carrying the assigned id. */
const lastVersionWithoutId = 3;
const protocolName = 'range';
const topics = Array.from({ length: 10 }, (_, number) => `topic-of-the-benchmark-${number}`);
const metadata = writeSubscription(topics);
const assignment = writeAssignment(
  0,
  topics.map((topic) => ({ topic, partitions: [1, 2, 3] })),
);

/** A member of a classic group that behaves as Apache's consumer, on its own connection. */
export class ClassicMember {
  readonly #connection: KafkaConnection;
  readonly #groupId: string;
  #memberId = '';
  #generationId = -1;
  isLeader = false;

  constructor(connection: KafkaConnection, groupId: string) {
    this.#connection = connection;
    this.#groupId = groupId;
  }

  /** Returns the ids of the members to assign partitions to; empty unless this member is the group leader. */
  async join(): Promise<readonly string[]> {
    const answer = await this.#connection.request(
      apis.JoinGroup,
      {
        groupId: this.#groupId,
        memberId: this.#memberId,
        sessionTimeoutMs: 45_000,
        rebalanceTimeoutMs: 300_000,
        protocolType: 'consumer',
        protocols: [{ name: protocolName, metadata }],
      },
      { timeoutMs, highestUseful: lastVersionWithoutId },
    );
    const { memberId, generationId, leader, members } = succeeded('JoinGroup', answer);
    this.#memberId = memberId;
    this.#generationId = generationId;
    this.isLeader = leader === memberId;
    return members.map((member) => member.memberId);
  }

  async sync(memberIds: readonly string[]): Promise<void> {
    const answer = await this.#connection.request(
      apis.SyncGroup,
      {
        groupId: this.#groupId,
        generationId: this.#generationId,
        memberId: this.#memberId,
        protocolType: 'consumer',
        protocolName,
        assignments: memberIds.map((memberId) => ({ memberId, assignment })),
      },
      { timeoutMs },
    );
    if (succeeded('SyncGroup', answer).assignment.length === 0) throw new Error('SyncGroup: no assignment');
  }

  async heartbeat(): Promise<void> {
    const { groupId, memberId, generationId } = this.#identity;
    const answer = await this.#connection.request(
      apis.Heartbeat,
      { groupId, memberId, generationId },
      { timeoutMs },
    );
    succeeded('Heartbeat', answer);
  }

  async leave(): Promise<void> {
    const { groupId, memberId } = this.#identity;
    const members = [{ memberId, groupInstanceId: null }];
    succeeded(
      'LeaveGroup',
      await this.#connection.request(apis.LeaveGroup, { groupId, members }, { timeoutMs }),
    );
  }

  get #identity() {
    return { groupId: this.#groupId, memberId: this.#memberId, generationId: this.#generationId };
  }
}

/** Brings the members into one generation: all join, the group leader assigns, and each gets its assignment. */
export async function rebalance(members: readonly ClassicMember[]): Promise<void> {
  await Promise.all(members.map(async (member) => member.sync(await member.join())));
}
