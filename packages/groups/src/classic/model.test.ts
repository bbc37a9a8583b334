import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JoinGroupAnswer, SyncGroupAnswer } from '@weir/cluster';
import { ByteReader, ByteWriter } from '@weir/machine';
import fc from 'fast-check';
import { storyRules } from '../../testing/classic-story.ts';
import { ClassicGroup, type Member } from './classic-group.ts';
import type { AnsweredToken, ClassicEvent, ClassicRules } from './event.ts';
import { step } from './machine.ts';
import { readClassicGroup, writeClassicGroup } from './record.ts';
import { nextDeadlineMs } from './tick.ts';

/**
 * Random clients join, sync, leave, time out and return, against one group. Invariants:
 *
 * - every request gets one answer, and the unanswered requests are exactly those that the group holds;
 * - generations only grow, and all members of a generation get the same leader;
 * - a member gets only the assignment that the leader of its generation gave it;
 * - a group does not wait when no member is missing;
 * - a member that sends requests in time is not removed;
 * - the group that is read back from its stored state equals the group;
 * - when all clients stop, the group becomes empty and no request waits.
 */
interface Client {
  readonly instance: string | null;
  memberId: string;
  generationId: number;
  isLeader: boolean;
  /** Until when its session certainly holds; a leave or a rebalance may end it earlier. */
  aliveUntilMs: number;
}

type Operation =
  | { readonly kind: 'join'; readonly client: number; readonly forgetsId: boolean; readonly metadata: number }
  | { readonly kind: 'sync' | 'heartbeat' | 'leave' | 'commit'; readonly client: number }
  /** Clients behave correctly: they join, twice if they get a member id first, and sync. */
  | { readonly kind: 'gather'; readonly clients: readonly number[] }
  /** One of two agents is lost; clients start on either. */
  | { readonly kind: 'agentGone'; readonly agentId: string }
  | { readonly kind: 'pass'; readonly ms: number };

const clientCount = 5;
const sessionTimeoutMs = 10_000;
const rebalanceTimeoutMs = 15_000;

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      client: fc.nat(clientCount - 1),
      forgetsId: fc.nat(5).map((chance) => chance === 0),
      metadata: fc.nat(2),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('sync' as const, 'heartbeat' as const, 'commit' as const),
      client: fc.nat(clientCount - 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('leave' as const), client: fc.nat(clientCount - 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('gather' as const),
      clients: fc.uniqueArray(fc.nat(clientCount - 1), { minLength: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('agentGone' as const),
      agentId: fc.constantFrom('agent-0', 'agent-1'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 900, 3_000, 9_000, 20_000),
    }),
  },
);

class World {
  readonly group = new ClassicGroup('g');
  readonly rules: ClassicRules;
  readonly requiresKnownMemberId: boolean;
  readonly clients: Client[];
  nowMs = 1_000;
  /** Requests without an answer, with their client and the identity that it had: a client may restart meanwhile. */
  readonly waiting = new Map<number, { readonly client: Client; readonly identity: string }>();
  #lastToken = 0;
  #lastId = 0;
  #generationId = 0;
  readonly #leaders = new Map<number, string>();
  /** The assignment of each member in each generation, as its leader gave it. */
  readonly #assigned = new Map<string, string>();
  saved = 0;

  constructor(initialRebalanceDelayMs: number, requiresKnownMemberId: boolean) {
    this.rules = { ...storyRules, initialRebalanceDelayMs, groupSizeMax: clientCount };
    this.requiresKnownMemberId = requiresKnownMemberId;
    this.clients = Array.from({ length: clientCount }, (_, index) => ({
      instance: index < 2 ? `i${index}` : null,
      memberId: '',
      generationId: -1,
      isLeader: false,
      aliveUntilMs: 0,
    }));
  }

  run(wanted: Operation): void {
    if (wanted.kind === 'pass') {
      this.pass(wanted.ms);
      return;
    }
    if (wanted.kind === 'agentGone') {
      this.step({ kind: 'agentsGone', agentIds: new Set([wanted.agentId]) });
      return;
    }
    if (wanted.kind === 'gather') {
      for (const client of [...wanted.clients, ...wanted.clients]) {
        this.run({ kind: 'join', client, forgetsId: false, metadata: 0 });
      }
      for (const client of wanted.clients) this.run({ kind: 'sync', client });
      return;
    }
    const client = this.clients[wanted.client]!;
    const token = ++this.#lastToken;
    const { memberId, instance: groupInstanceId, generationId } = client;
    const asker = { groupId: 'g', memberId, groupInstanceId };
    this.waiting.set(token, { client, identity: groupInstanceId ?? memberId });
    switch (wanted.kind) {
      case 'join': {
        const own = wanted.forgetsId ? '' : memberId;
        const metadata = Buffer.from(`m${wanted.metadata}`);
        this.step({
          kind: 'join',
          token,
          freshMemberId: `member-${++this.#lastId}`,
          request: {
            groupId: 'g',
            memberId: own,
            groupInstanceId,
            clientId: '',
            clientHost: '',
            sessionTimeoutMs,
            rebalanceTimeoutMs,
            protocolType: 'x',
            protocols: [
              { name: wanted.metadata === 0 ? 'p' : 'q', metadata },
              { name: wanted.metadata === 0 ? 'q' : 'p', metadata },
            ],
            requiresKnownMemberId: this.requiresKnownMemberId,
            supportsSkipAssignment: wanted.metadata === 1,
            reason: null,
            agentId: `agent-${wanted.client % 2}`,
          },
        });
        return;
      }
      case 'sync': {
        const assignments = client.isLeader ? this.#assign(generationId) : [];
        const protocols = { protocolType: null, protocolName: null };
        this.step({ kind: 'sync', token, request: { ...asker, generationId, ...protocols, assignments } });
        return;
      }
      case 'heartbeat':
        this.step({ kind: 'heartbeat', token, heartbeat: { ...asker, generationId } });
        return;
      case 'commit': {
        const committer = { ...asker, generationIdOrMemberEpoch: generationId };
        this.step({ kind: 'commit', token, committer, isTransactional: false });
        return;
      }
      case 'leave':
        this.step({ kind: 'leave', token, members: [asker] });
        return;
    }
  }

  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (let next = nextDeadlineMs(this.group); next <= endMs; next = nextDeadlineMs(this.group)) {
      this.nowMs = Math.max(this.nowMs, next);
      this.step({ kind: 'tick' });
      assert.ok(nextDeadlineMs(this.group) > this.nowMs, 'a deadline was missed');
    }
    this.nowMs = endMs;
  }

  step(event: ClassicEvent): void {
    const known = new Set(this.group.members.keys());
    const { answers, isChanged, soonestMs } = step(this.group, event, this.nowMs, this.rules);
    for (const answer of answers) this.#onAnswer(event, answer);
    if (isChanged && this.group.state !== 'Dead') this.#checkRestored();
    assert.ok(soonestMs >= this.nowMs);
    this.#checkAlive(event, known);
    this.#check();
  }

  #onAnswer(event: ClassicEvent, { token, reply }: AnsweredToken): void {
    const request = this.waiting.get(token);
    assert.ok(request !== undefined, 'a request was answered twice');
    this.waiting.delete(token);
    const { client, identity } = request;
    if (typeof reply === 'string') {
      if (reply === 'NONE' || reply === 'REBALANCE_IN_PROGRESS') this.#lives(event, client);
    } else if ('leader' in reply) {
      this.#joined(client, reply);
    } else if ('assignment' in reply) {
      if (reply.error === 'NONE') this.#synced(client, identity, reply);
    }
  }

  #lives(event: ClassicEvent, client: Client): void {
    if (event.kind === 'heartbeat') client.aliveUntilMs = this.nowMs + sessionTimeoutMs;
  }

  #joined(client: Client, answer: JoinGroupAnswer): void {
    const { error, memberId, generationId, leader, skipAssignment } = answer;
    if (error === 'MEMBER_ID_REQUIRED') client.memberId = memberId;
    if (error !== 'NONE') return;
    assert.equal(generationId, this.group.generationId);
    client.memberId = memberId;
    client.generationId = generationId;
    client.isLeader = leader === memberId && !skipAssignment;
    client.aliveUntilMs = this.nowMs + sessionTimeoutMs;
    if (leader !== memberId) {
      assert.deepEqual(answer.members, []);
      return;
    }
    const identity = client.instance ?? memberId;
    assert.equal(this.#leaders.get(generationId) ?? identity, identity, 'a generation has one leader');
    this.#leaders.set(generationId, identity);
    assert.equal(answer.members.length, this.group.members.size);
  }

  #assign(generationId: number): { memberId: string; assignment: Uint8Array }[] {
    if (this.group.state !== 'CompletingRebalance' || generationId !== this.group.generationId) return [];
    return Array.from(this.group.members.values(), (member) => {
      const assignment = `${generationId} ${identityOf(member)}`;
      this.#assigned.set(assignment, assignment);
      return { memberId: member.memberId, assignment: Buffer.from(assignment) };
    });
  }

  #synced(client: Client, identity: string, { assignment }: SyncGroupAnswer): void {
    const expected = `${this.group.generationId} ${identity}`;
    assert.equal(
      String(Buffer.from(assignment)),
      this.#assigned.get(expected) ?? '',
      'assignments come from the leader only',
    );
    client.aliveUntilMs = this.nowMs + sessionTimeoutMs;
  }

  /** Time alone removes no member before its session expires, unless it did not join or sync in time. */
  #checkAlive(event: ClassicEvent, known: ReadonlySet<string>): void {
    if (event.kind !== 'tick' || this.group.state !== 'PreparingRebalance') return;
    for (const { memberId, aliveUntilMs, instance } of this.clients) {
      if (!known.has(memberId) || this.group.members.has(memberId) || instance !== null) continue;
      const wasUnsynced = this.nowMs >= this.#generationStartMs + rebalanceTimeoutMs;
      assert.ok(aliveUntilMs <= this.nowMs || wasUnsynced, `${memberId} was taken for gone`);
    }
  }

  #generationStartMs = 0;

  #check(): void {
    const { group } = this;
    const members = [...group.members.values()];
    assert.ok(group.generationId >= this.#generationId, 'generations grow');
    if (group.generationId > this.#generationId) this.#generationStartMs = this.nowMs;
    this.#generationId = group.generationId;

    const held = members.flatMap(({ join, sync }) => [join, sync]).filter((token) => token !== undefined);
    assert.deepEqual(
      [...this.waiting.keys()].sort(byNumber),
      held.sort(byNumber),
      'the group holds every waiting request',
    );
    assert.equal(group.joinedCount, members.filter(({ join }) => join !== undefined).length);
    const metadata = members.flatMap(({ protocols }) =>
      protocols.map((protocol) => protocol.metadata.length),
    );
    assert.equal(
      group.metadataBytes,
      metadata.reduce((sum, bytes) => sum + bytes, 0),
    );
    assert.equal(members.length === 0, group.leaderId === null);
    assert.ok(group.leaderId === null || group.members.has(group.leaderId));
    assert.equal(new Set(members.map(identityOf)).size, members.length, 'an instance id has one member');

    switch (group.state) {
      case 'Empty':
        assert.equal(members.length, 0);
        break;
      case 'PreparingRebalance':
        assert.ok(group.rebalance !== undefined);
        assert.ok(members.length > 0, 'a group without members is empty');
        if (group.rebalance.initial === undefined)
          assert.ok(!group.hasAllJoined, 'the rebalance completes when all members have joined');
        break;
      case 'CompletingRebalance':
      case 'Stable':
        assert.ok(members.length > 0);
        assert.equal(group.joinedCount, 0);
        assert.ok(
          members.every(({ protocols }) => protocols.some(({ name }) => name === group.protocolName)),
        );
        if (group.state === 'Stable') assert.ok(members.every(({ sync }) => sync === undefined));
        break;
      case 'Dead':
        assert.fail('the group is dead without a delete request');
    }
  }

  #checkRestored(): void {
    this.saved++;
    const writer = new ByteWriter();
    writeClassicGroup(this.group, writer);
    const bytes = writer.take();
    const reader = new ByteReader(bytes);
    const restored = readClassicGroup('g', reader, this.nowMs);
    reader.end();
    assert.equal(restored.state, this.group.state);
    assert.equal(restored.generationId, this.group.generationId);
    assert.deepEqual(durableState(restored), durableState(this.group));
    writeClassicGroup(restored, writer);
    assert.deepEqual(writer.take(), bytes);
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}

function identityOf({ groupInstanceId, memberId }: Readonly<Member>): string {
  return groupInstanceId ?? memberId;
}

function durableState(group: ClassicGroup): unknown[] {
  return Array.from(group.members.values(), ({ memberId, groupInstanceId, assignment, protocols }) => [
    memberId,
    groupInstanceId,
    Buffer.from(assignment).toString(),
    protocols.map(({ name, metadata }) => [name, Buffer.from(metadata).toString()]),
  ]);
}

test('a classic group keeps its invariants under random clients', () => {
  let stable = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(0, 3_000),
      fc.boolean(),
      fc.array(operation, { minLength: 20, maxLength: 120, size: 'max' }),
      (delayMs, requiresKnownMemberId, operations) => {
        const world = new World(delayMs, requiresKnownMemberId);
        for (const wanted of operations) {
          world.run(wanted);
          if (world.group.state === 'Stable') stable++;
        }
        world.pass(1_000_000);
        assert.equal(world.group.state, 'Empty');
        assert.equal(world.waiting.size, 0, 'every request is answered');
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(stable > 1_000, 'too few steps with a stable group');
});
