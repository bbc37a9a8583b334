import { type AnyBrokerClient, Refused, refuse } from '../../sim/any-broker-client.ts';
import type { Bootstrap } from '../../sim/bootstrap.ts';
import type { Generation, GroupMembership } from '../../sim/membership.ts';

const rebalanceTimeoutMs = 6_000;
const requestTimeoutMs = 3_000;
const joins = 0;
const leaves = -1;

/** A member of a KIP-848 group: the broker assigns, and heartbeats report the member's partitions. */
export class ConsumerMembership implements GroupMembership {
  readonly groupId: string;
  readonly #client: AnyBrokerClient;
  readonly #bootstrap: Bootstrap;
  readonly #memberId: string;
  #epoch = joins;
  #generation: Generation | undefined;

  constructor(client: AnyBrokerClient, bootstrap: Bootstrap, groupId: string, memberId: string) {
    this.#client = client;
    this.#bootstrap = bootstrap;
    this.groupId = groupId;
    this.#memberId = memberId;
  }

  async current(): Promise<Generation> {
    const { topicName, topicId } = this.#bootstrap;
    const isJoining = this.#epoch === joins;
    const owned = isJoining ? [] : (this.#generation?.partitions ?? []);
    const answer = await this.#client.request(
      'ConsumerGroupHeartbeat',
      {
        groupId: this.groupId,
        memberId: this.#memberId,
        memberEpoch: this.#epoch,
        rebalanceTimeoutMs,
        subscribedTopicNames: [topicName],
        topicPartitions: owned.length === 0 ? [] : [{ topicId, partitions: [...owned] }],
      },
      requestTimeoutMs,
    );
    this.#check('ConsumerGroupHeartbeat', answer.errorCode);
    this.#epoch = answer.memberEpoch;
    const assigned = answer.assignment?.topicPartitions.find(
      (topic) => topic.topicId === topicId,
    )?.partitions;
    const partitions = answer.assignment === null ? owned : [...(assigned ?? [])];
    const isSame =
      this.#generation?.generationId === this.#epoch &&
      String([...this.#generation.partitions].sort()) === String([...partitions].sort());
    if (!isSame)
      this.#generation = { memberId: this.#memberId, generationId: this.#epoch, partitions: [...partitions] };
    return this.#generation!;
  }

  failed(error: unknown): void {
    if (!(error instanceof Refused)) return;
    if (['UNKNOWN_MEMBER_ID', 'FENCED_MEMBER_EPOCH', 'UNRELEASED_INSTANCE_ID'].includes(error.error)) {
      this.#epoch = joins;
      this.#generation = undefined;
    }
  }

  async leave(): Promise<void> {
    const memberEpoch = leaves;
    this.#epoch = joins;
    this.#generation = undefined;
    const body = { groupId: this.groupId, memberId: this.#memberId, memberEpoch };
    const answer = await this.#client.request('ConsumerGroupHeartbeat', body, requestTimeoutMs);
    this.#check('ConsumerGroupHeartbeat', answer.errorCode);
  }

  #check(what: string, errorCode: number): void {
    try {
      refuse(what, errorCode);
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }
}
