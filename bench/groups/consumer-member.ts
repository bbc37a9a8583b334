import { randomUUID } from 'node:crypto';
import { apis } from '@weir/wire';
import type { KafkaConnection } from '../../packages/client/src/connection.ts';
import { succeeded } from './answer.ts';

const timeoutMs = 60_000;

/** A member of a KIP-848 group, on its own connection. */
export class ConsumerMember {
  readonly #connection: KafkaConnection;
  readonly #groupId: string;
  readonly #topic: string;
  readonly #memberId = randomUUID();
  #epoch = 0;
  #owned: readonly { readonly topicId: string; readonly partitions: readonly number[] }[] = [];
  #mustReportOwned = true;

  constructor(connection: KafkaConnection, groupId: string, topic: string) {
    this.#connection = connection;
    this.#groupId = groupId;
    this.#topic = topic;
  }

  /**
   * Sends a heartbeat; the first one joins. Reports owned partitions only when they have changed, as Apache's consumer
   * does.
   */
  async heartbeat(): Promise<void> {
    const isJoin = this.#epoch === 0;
    const answer = await this.#connection.request(
      apis.ConsumerGroupHeartbeat,
      {
        groupId: this.#groupId,
        memberId: this.#memberId,
        memberEpoch: this.#epoch,
        rebalanceTimeoutMs: isJoin ? 300_000 : -1,
        subscribedTopicNames: isJoin ? [this.#topic] : null,
        topicPartitions: isJoin || this.#mustReportOwned ? this.#owned : null,
      },
      { timeoutMs },
    );
    const { memberEpoch, assignment } = succeeded('ConsumerGroupHeartbeat', answer);
    this.#epoch = memberEpoch;
    this.#mustReportOwned = assignment !== null;
    if (assignment !== null) this.#owned = assignment.topicPartitions;
  }

  get isAtWork(): boolean {
    return this.#owned.length > 0 && !this.#mustReportOwned;
  }
}
