import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, ByteWriter } from '@weir/machine';
import fc from 'fast-check';
import { ConsumerStory } from '../../testing/consumer-story.ts';
import {
  noPartitions,
  partitionsAsList,
  partitionsFrom,
  type TopicPartitions,
  union,
} from '../assignors/partitions.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { stateOf } from './machine.ts';
import { readConsumerGroup, readConsumerMember, writeConsumerGroup, writeConsumerMember } from './record.ts';

/**
 * Clients obey, are slow, lose answers, leave and time out, against a group whose topics and ACLs change. After every
 * event:
 *
 * - a partition is held by at most one member, and by at most one obedient client;
 * - every partition of the subscribed topics is in exactly one target, once targets are computed;
 * - the target of a member that subscribes by pattern contains only topics that it may see;
 * - epochs only grow, those of the group and those of a member while it is in the group;
 * - the group that is read back from its stored entries equals the group.
 *
 * In the end, when all clients send heartbeats and obey, the group is stable and all partitions are assigned.
 */
class Client {
  readonly memberId: string;
  readonly topics: readonly string[];
  readonly isByPattern: boolean;
  /** 0 for a client that must join. */
  epoch = 0;
  /** The partitions that it reads, and those that it is assigned. */
  owned: TopicPartitions = noPartitions;
  assigned: TopicPartitions = noPartitions;

  constructor(memberId: string, topics: readonly string[], isByPattern: boolean) {
    this.memberId = memberId;
    this.topics = topics;
    this.isByPattern = isByPattern;
  }
}

class Model {
  readonly story: ConsumerStory;
  readonly clients = new Map<string, Client>();
  readonly #epochs = new Map<string, number>();
  #groupEpoch = 0;

  constructor(assignmentIntervalMs: number) {
    this.story = new ConsumerStory({ t: 4, u: 3 }, { assignmentIntervalMs });
  }

  join(memberId: string, topics: readonly string[], isByPattern: boolean): void {
    // A rejoining client has given up its partitions.
    const client = new Client(memberId, topics, isByPattern);
    this.clients.set(memberId, client);
    this.#join(client);
  }

  #join(client: Client): void {
    const { memberId, topics, isByPattern } = client;
    this.#epochs.delete(memberId);
    const answer = this.story.heartbeat(memberId, 0, {
      rebalanceTimeoutMs: 30_000,
      subscribedTopicNames: isByPattern ? null : topics,
      subscribedTopicRegex: isByPattern ? topics.join('|') : '',
      reader: { principals: [memberId], host: '10.0.0.1' },
      ownedPartitions: [],
    });
    this.#onAnswer(client, answer);
  }

  /** A client that does not obey continues with its partitions, like an application that is slow to revoke. */
  beat(
    memberId: string,
    { sendsOwned, isLost, obeys }: { sendsOwned: boolean; isLost: boolean; obeys: boolean },
  ): void {
    const client = this.clients.get(memberId);
    if (client === undefined) return;
    if (client.epoch === 0) {
      this.#join(client);
      return;
    }
    if (obeys) client.owned = client.assigned;
    const ownedPartitions = sendsOwned ? partitionsAsList(client.owned) : null;
    const answer = this.story.heartbeat(memberId, client.epoch, { ownedPartitions });
    if (!isLost) this.#onAnswer(client, answer);
  }

  leave(memberId: string): void {
    this.clients.delete(memberId);
    this.#epochs.delete(memberId);
    this.story.heartbeat(memberId, -1);
  }

  /** Restricts the visible topics of a member; `undefined` makes all visible. */
  rule(memberId: string, seen: readonly string[] | undefined): void {
    const { visibleTopics } = this.story.topics;
    if (seen === undefined) visibleTopics.delete(memberId);
    else visibleTopics.set(memberId, seen);
    this.story.run({ kind: 'rules' });
  }

  pass(ms: number): void {
    this.story.pass(ms);
    // A client without answers for that long stops by itself; here it learns it at once.
    for (const memberId of [...this.clients.keys()]) {
      if (this.story.group.member(memberId) !== undefined) continue;
      this.clients.delete(memberId);
      this.#epochs.delete(memberId);
    }
  }

  #onAnswer(client: Client, answer: ReturnType<ConsumerStory['heartbeat']>): void {
    if (answer.error !== 'NONE') {
      assert.ok(
        ['FENCED_MEMBER_EPOCH', 'UNKNOWN_MEMBER_ID', 'GROUP_MAX_SIZE_REACHED'].includes(answer.error),
        answer.error,
      );
      // It gives up everything, and rejoins with its next heartbeat.
      client.owned = noPartitions;
      client.assigned = noPartitions;
      client.epoch = 0;
      return;
    }
    client.epoch = answer.memberEpoch;
    if (answer.assignment === null) return;
    client.assigned = partitionsFrom(answer.assignment);
    // It starts with new partitions at once, and gives up the rest when it obeys.
    client.owned = union(client.owned, client.assigned);
  }

  check(): void {
    const { group } = this.story;
    this.#checkOwners(
      Array.from(group.members.values()).flatMap(({ memberId, holding }) => [
        [memberId, holding.assigned],
        [memberId, holding.revoking],
      ]),
    );
    this.#checkOwners(Array.from(this.clients.values(), ({ memberId, owned }) => [memberId, owned]));
    assert.ok(group.epoch >= this.#groupEpoch);
    assert.ok(group.assignmentEpoch <= group.epoch);
    this.#groupEpoch = group.epoch;
    for (const { memberId, holding } of group.members.values()) {
      assert.ok(holding.epoch >= (this.#epochs.get(memberId) ?? 0), `the epoch of ${memberId} went down`);
      this.#epochs.set(memberId, holding.epoch);
    }
    if (group.members.size > 0 && group.epoch === group.assignmentEpoch) this.#checkTargets();
    this.#checkSubscriptions();
    this.#checkRestored();
  }

  #checkOwners(all: readonly (readonly [string, TopicPartitions])[]): void {
    const owners = new Map<string, string>();
    for (const [memberId, partitions] of all) {
      for (const [topicId, numbers] of partitions) {
        for (const number of numbers) {
          const name = `${topicId}-${number}`;
          assert.equal(owners.get(name), undefined, `${name} has two owners`);
          owners.set(name, memberId);
        }
      }
    }
  }

  /** A member reads only what it subscribes to, also while the targets are older than its subscription. */
  #checkSubscriptions(): void {
    for (const { memberId, holding, subscription } of this.story.group.members.values()) {
      if (holding.state === 'revoking' || subscription.pattern !== '') continue;
      for (const topicId of holding.assigned.keys()) {
        const name = this.story.topics.nameOf(topicId);
        assert.ok(name === undefined || subscription.names.includes(name), `${memberId} has ${name}`);
      }
    }
  }

  #checkTargets(): void {
    const { group } = this.story;
    const given = new Map<string, number>();
    for (const target of group.targets.values()) {
      for (const [topicId, numbers] of target) given.set(topicId, (given.get(topicId) ?? 0) + numbers.length);
    }
    assert.deepEqual(new Map([...given].toSorted()), new Map([...group.topics].toSorted()));
    this.#checkOwners([...group.targets]);
    for (const { memberId, subscription } of group.members.values()) {
      const seen = this.story.topics.visibleTopics.get(memberId);
      if (subscription.pattern === '' || seen === undefined) continue;
      for (const topicId of group.targetOf(memberId).keys()) {
        const name = this.story.topics.nameOf(topicId);
        // The agent authorises topics that a member subscribes to by name.
        const isHis = name === undefined || seen.includes(name) || subscription.names.includes(name);
        assert.ok(isHis, `${memberId} is to have ${name}`);
      }
    }
  }

  /** The group that is read back from its stored entries equals the group. */
  #checkRestored(): void {
    const { group } = this.story;
    const writer = new ByteWriter();
    writeConsumerGroup(group, writer);
    const again = new ConsumerGroup('g');
    const memberIds = readConsumerGroup(again, new ByteReader(writer.take()));
    for (const memberId of memberIds) {
      writeConsumerMember(group.member(memberId)!, writer);
      readConsumerMember(again, memberId, new ByteReader(writer.take()));
    }
    again.matchPatterns(this.story.topics);
    const shown = (of: ConsumerGroup) => ({
      epoch: of.epoch,
      assignmentEpoch: of.assignmentEpoch,
      topics: of.topics,
      assignor: of.assignor,
      found: of.findTopics(this.story.topics).size,
      members: Array.from(of.members.values(), ({ memberId, holding, subscription }) => [
        memberId,
        holding,
        subscription,
        of.targetOf(memberId),
      ]),
    });
    assert.deepEqual(shown(again), shown(group));
  }

  settle(): void {
    for (let round = 0; round < 12; round++) {
      for (const memberId of [...this.clients.keys()])
        this.beat(memberId, { sendsOwned: true, isLost: false, obeys: true });
      this.story.nowMs += 1_000;
    }
    const { group } = this.story;
    if (this.clients.size === 0) return;
    assert.equal(stateOf(group), 'Stable', this.story.holdings());
    for (const { memberId, holding } of group.members.values()) {
      assert.deepEqual(
        new Map([...holding.assigned].toSorted()),
        new Map([...group.targetOf(memberId)].toSorted()),
      );
    }
  }
}

const member = fc.constantFrom('a', 'b', 'c', 'd', 'e');
/** Up to the seconds that heartbeats take to settle. */
const intervalMs = fc.constantFrom(0, 1_000);
const topicName = fc.constantFrom('t', 'u', 'v');

type Action = (model: Model) => void;

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(member, fc.uniqueArray(topicName, { minLength: 1 }), fc.boolean()).map(
      ([id, topics, isByPattern]): Action =>
        (model) =>
          model.join(id, topics, isByPattern),
    ),
  },
  {
    weight: 12,
    arbitrary: fc
      .tuple(member, fc.record({ sendsOwned: fc.boolean(), isLost: fc.boolean(), obeys: fc.boolean() }))
      .map(
        ([id, options]): Action =>
          (model) =>
            model.beat(id, options),
      ),
  },
  {
    weight: 1,
    arbitrary: member.map(
      (id): Action =>
        (model) =>
          model.leave(id),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(5_000, 31_000, 46_000).map(
      (ms): Action =>
        (model) =>
          model.pass(ms),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(member, fc.option(fc.uniqueArray(topicName), { nil: undefined })).map(
      ([id, seen]): Action =>
        (model) =>
          model.rule(id, seen),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(topicName, fc.nat(6)).map(
      ([name, count]): Action =>
        (model) => {
          // A topic never shrinks; 0 deletes it.
          const now = model.story.topics.byName(name)?.partitionCount ?? 0;
          if (count === 0 || count > now) model.story.setTopic(name, count);
        },
    ),
  },
);

test('a consumer group keeps its invariants under random clients', () => {
  fc.assert(
    fc.property(
      intervalMs,
      fc.array(action, { maxLength: 60, size: 'max' }),
      (assignmentIntervalMs, actions) => {
        const model = new Model(assignmentIntervalMs);
        for (const act of actions) {
          act(model);
          model.check();
        }
        for (const memberId of [...model.story.group.members.keys()]) {
          if (!model.clients.has(memberId)) model.leave(memberId);
        }
        model.settle();
        model.check();
      },
    ),
    { numRuns: 500 },
  );
});
