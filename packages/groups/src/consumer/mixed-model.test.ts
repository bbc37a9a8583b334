import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAssignment } from '@weir/cluster';
import fc from 'fast-check';
import { subscriptionBytes } from '../../testing/classic-consumer.ts';
import { ConsumerStory } from '../../testing/consumer-story.ts';
import {
  noPartitions,
  partitionsAsList,
  partitionsFrom,
  type TopicPartitions,
} from '../assignors/partitions.ts';
import { partitionsOf } from './classic-members.ts';
import { stateOf } from './machine.ts';

/**
 * Clients of both protocols in one group. Classic ones behave as those of Apache Kafka: heartbeat, rejoin when
 * required, sync, and as cooperative ones rejoin once more after they gave up partitions. In any order, no two clients
 * ever read the same partition, and in the end all partitions are assigned.
 */
interface Client {
  readonly memberId: string;
  readonly kind: 'new' | 'eager' | 'cooperative';
  /** Epoch or generation; 0 before the first answer. */
  epoch: number;
  owned: TopicPartitions;
  /** The next action of a classic client. */
  next: 'beat' | 'join' | 'sync';
}

class MixedModel {
  readonly story: ConsumerStory;
  readonly clients = new Map<string, Client>();

  constructor(assignmentIntervalMs: number) {
    this.story = new ConsumerStory({ t: 5 }, { assignmentIntervalMs });
  }

  enter(memberId: string, kind: Client['kind']): void {
    if (this.clients.has(memberId) || this.story.group.member(memberId) !== undefined) return;
    const client: Client = { memberId, kind, epoch: 0, owned: noPartitions, next: 'join' };
    this.clients.set(memberId, client);
    this.act(memberId);
  }

  leave(memberId: string): void {
    const client = this.clients.get(memberId);
    if (client === undefined) return;
    this.clients.delete(memberId);
    if (client.kind === 'new') this.story.heartbeat(memberId, -1);
    else this.story.run({ kind: 'classicLeave', members: [{ memberId, groupInstanceId: null }] });
  }

  act(memberId: string): void {
    const client = this.clients.get(memberId);
    if (client === undefined) return;
    this.story.nowMs += 100;
    if (client.kind === 'new') this.#beat(client);
    else if (client.next === 'join') this.#join(client);
    else if (client.next === 'sync') this.#sync(client);
    else this.#classicBeat(client);
  }

  #beat(client: Client): void {
    const isNew = client.epoch === 0;
    const answer = this.story.heartbeat(client.memberId, client.epoch, {
      ownedPartitions: partitionsAsList(client.owned),
      ...(isNew ? { subscribedTopicNames: ['t'], rebalanceTimeoutMs: 60_000 } : {}),
    });
    assert.equal(answer.error, 'NONE', `${client.memberId}: ${answer.message}`);
    client.epoch = answer.memberEpoch;
    if (answer.assignment !== null) client.owned = partitionsFrom(answer.assignment);
  }

  #join(client: Client): void {
    if (client.kind === 'eager') client.owned = noPartitions;
    const owned = Array.from(client.owned, ([topicId, partitions]) => ({
      topic: this.story.topics.nameOf(topicId)!,
      partitions,
    }));
    const metadata = subscriptionBytes(['t'], {
      owned,
      generationId: client.epoch === 0 ? -1 : client.epoch,
    });
    const answer = this.story.classicJoin(client.memberId, metadata);
    assert.equal(answer.error, 'NONE');
    client.epoch = answer.generationId;
    client.next = 'sync';
  }

  #sync(client: Client): void {
    const answer = this.story.classicSync(client.memberId, client.epoch);
    if (answer.error === 'REBALANCE_IN_PROGRESS') {
      client.next = 'join';
      return;
    }
    assert.equal(answer.error, 'NONE');
    const given = partitionsOf(readAssignment(answer.assignment)!, this.story.topics);
    const before = partitionsAsList(client.owned).flatMap(({ partitions }) => [...partitions]);
    const now = new Set(partitionsAsList(given).flatMap(({ partitions }) => [...partitions]));
    const mustGiveUp = before.some((partition) => !now.has(partition));
    client.owned = given;
    client.next = mustGiveUp ? 'join' : 'beat';
  }

  #classicBeat(client: Client): void {
    const error = this.story.classicBeat(client.memberId, client.epoch);
    if (error === 'REBALANCE_IN_PROGRESS') client.next = 'join';
    else assert.equal(error, 'NONE');
  }

  check(): void {
    const owners = new Map<number, string>();
    for (const { memberId, owned } of this.clients.values()) {
      for (const { partitions } of partitionsAsList(owned)) {
        for (const partition of partitions) {
          assert.equal(owners.get(partition), undefined, `${partition} is read by ${memberId} and another`);
          owners.set(partition, memberId);
        }
      }
    }
    const { group } = this.story;
    assert.equal(
      group.classicCount,
      [...group.members.values()].filter(({ classic }) => classic !== null).length,
    );
  }

  settle(): void {
    for (let round = 0; round < 40; round++) {
      for (const memberId of this.clients.keys()) {
        this.act(memberId);
        this.check();
      }
    }
    if (this.clients.size === 0) return;
    assert.equal(stateOf(this.story.group), 'Stable', this.story.holdings());
    const read = [...this.clients.values()].flatMap(({ owned }) =>
      partitionsAsList(owned).flatMap(({ partitions }) => [...partitions]),
    );
    assert.deepEqual(read.toSorted(), [0, 1, 2, 3, 4]);
  }
}

const member = fc.constantFrom('a', 'b', 'c', 'd');
/** Up to the seconds that heartbeats take to settle. */
const intervalMs = fc.constantFrom(0, 1_000);

const action: fc.Arbitrary<(model: MixedModel) => void> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(member, fc.constantFrom('new' as const, 'eager' as const, 'cooperative' as const))
      .map(
        ([id, kind]) =>
          (model: MixedModel) =>
            model.enter(id, kind),
      ),
  },
  { weight: 10, arbitrary: member.map((id) => (model: MixedModel) => model.act(id)) },
  { weight: 1, arbitrary: member.map((id) => (model: MixedModel) => model.leave(id)) },
);

test('clients of both protocols share a group without ever sharing a partition', () => {
  fc.assert(
    fc.property(
      intervalMs,
      fc.array(action, { maxLength: 60, size: 'max' }),
      (assignmentIntervalMs, actions) => {
        const model = new MixedModel(assignmentIntervalMs);
        for (const act of actions) {
          act(model);
          model.check();
        }
        model.settle();
      },
    ),
    { numRuns: 500 },
  );
});
