import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAssignment, writeAssignment, writeSubscription } from '@weir/cluster/assignors';
import { type Api, errors } from '@weir/wire';
import type { Transport } from '../transport.ts';
import { ClassicMember } from './classic-member.ts';

/** What the answers look at in requests. */
interface Body {
  readonly memberId: string;
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[];
}

type Answer = (body: Body) => object | Promise<object>;

/** A member whose coordinator answers by a script, with the requests that it received. */
function memberOf(answers: Readonly<Record<string, Answer>>) {
  const requests: [api: string, memberId: string][] = [];
  const left: string[] = [];
  const coordinator = {
    async call(api: Api, version: number, given: Body | ((version: number) => Body)) {
      const body = typeof given === 'function' ? given(version) : given;
      requests.push([api.name, body.memberId]);
      return answers[api.name]!(body);
    },
  } as unknown as Transport;
  const member = new ClassicMember({
    groupId: 'g',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    coordinator: async () => coordinator,
    partitionCounts: async () => new Map([['orders', 3]]),
    leave: async (memberId) => void left.push(memberId),
  });
  return { member, requests, left };
}

const refused = (error: keyof typeof errors, memberId = '') => ({
  errorCode: errors[error].code,
  protocolName: null,
  leader: '',
  memberId,
  members: [],
});
const led = (memberId: string) => ({
  ...refused('NONE', memberId),
  generationId: 1,
  leader: memberId,
  members: ['a', 'b'].map((one) => ({ memberId: one, metadata: writeSubscription(['orders']) })),
});
const ownPartitions = writeAssignment(0, [{ topic: 'orders', partitions: [0, 1] }]);

test('a new member joins with the id that it is given, and assigns partitions as the leader', async () => {
  let assigned: unknown;
  const { member, requests } = memberOf({
    JoinGroup: ({ memberId }) => (memberId === '' ? refused('MEMBER_ID_REQUIRED', 'a') : led('a')),
    SyncGroup: ({ assignments }) => {
      assigned = assignments.map((one) => [one.memberId, readAssignment(one.assignment)]);
      return { errorCode: 0, assignment: [ownPartitions.subarray(0, 3), ownPartitions.subarray(3)] };
    },
  });
  assert.deepEqual(await member.join(['orders']), {
    partitions: [{ topic: 'orders', partitions: [0, 1] }],
    counts: new Map([['orders', 3]]),
  });
  assert.deepEqual(assigned, [
    ['a', [{ topic: 'orders', partitions: [0, 1] }]],
    ['b', [{ topic: 'orders', partitions: [2] }]],
  ]);
  assert.deepEqual(requests, [
    ['JoinGroup', ''],
    ['JoinGroup', 'a'],
    ['SyncGroup', 'a'],
  ]);
  assert.deepEqual(member.committer, { groupId: 'g', memberId: 'a', generationId: 1 });
});

test('a coordinator that goes on to give ids is not asked again at once', async () => {
  for (const id of ['', 'a']) {
    const { member, requests } = memberOf({ JoinGroup: () => refused('MEMBER_ID_REQUIRED', id) });
    assert.equal(await member.join(['orders']), undefined);
    assert.equal(requests.length, id === '' ? 1 : 2);
  }
});

test('a member that is forgotten while it joins leaves the group with the id that it gets', async () => {
  const answer = Promise.withResolvers<object>();
  const { member, requests, left } = memberOf({ JoinGroup: () => answer.promise });
  const joining = member.join(['orders']);
  assert.equal(member.forget(), '');
  answer.resolve(led('a'));
  await assert.rejects(joining, /group g was left/);
  assert.deepEqual(left, ['a']);
  assert.deepEqual(requests, [['JoinGroup', '']]);
  assert.equal(member.committer.memberId, '');
});

test('a member without its partitions rejoins with its id, unless the group does not know it', async () => {
  for (const [error, membership, id] of [
    ['REBALANCE_IN_PROGRESS', 'rebalancing', 'a'],
    ['ILLEGAL_GENERATION', 'lost', 'a'],
    ['UNKNOWN_MEMBER_ID', 'lost', ''],
  ] as const) {
    const { member } = memberOf({
      JoinGroup: () => led('a'),
      SyncGroup: () => ({ errorCode: 0, assignment: ownPartitions }),
      Heartbeat: () => ({ errorCode: errors[error].code }),
    });
    await member.join(['orders']);
    assert.equal(await member.heartbeat(), membership, error);
    assert.equal(member.committer.memberId, id, error);
  }
});

test('the answer to a heartbeat of an earlier generation says nothing', async () => {
  const answer = Promise.withResolvers<object>();
  const { member } = memberOf({
    JoinGroup: () => led('a'),
    SyncGroup: () => ({ errorCode: 0, assignment: ownPartitions }),
    Heartbeat: () => answer.promise,
  });
  await member.join(['orders']);
  const heartbeat = member.heartbeat();
  await member.join(['orders']);
  answer.resolve({ errorCode: errors.UNKNOWN_MEMBER_ID.code });
  assert.equal(await heartbeat, 'stable');
  assert.equal(member.committer.memberId, 'a');
});
