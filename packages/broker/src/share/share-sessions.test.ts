import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ShareSession, ShareSessions } from './share-sessions.ts';

const forever = new AbortController().signal;

/** Partitions as `topic/partition`. */
function request(wanted: readonly string[] = [], forgotten: readonly string[] = []) {
  const placeOf = (name: string) => ({ topicId: name.split('/')[0]!, partition: Number(name.split('/')[1]) });
  return {
    ...{ groupId: 'g', memberId: 'm', shareSessionEpoch: 0, maxWaitMs: 0, minBytes: 0, maxBytes: 0 },
    ...{ maxRecords: 0, batchSize: 0, shareAcquireMode: 0, isRenewAck: false },
    topics: wanted.map(placeOf).map(({ topicId, partition }) => ({
      topicId,
      partitions: [{ partitionIndex: partition, acknowledgementBatches: [] }],
    })),
    forgottenTopicsData: forgotten
      .map(placeOf)
      .map(({ topicId, partition }) => ({ topicId, partitions: [partition] })),
  };
}

const caller = (shareSessionEpoch: number, memberId = 'm') => ({ groupId: 'g', memberId, shareSessionEpoch });

const partitionsOf = (session: ShareSession | string) =>
  typeof session === 'string' ? session : [...session.partitions.keys()];

function open(options: Partial<ConstructorParameters<typeof ShareSessions>[0]> = {}) {
  const lost: string[] = [];
  const sessions = new ShareSessions({ onLost: ({ memberId }) => lost.push(memberId), ...options });
  return { sessions, lost };
}

test('a session remembers the partitions of its member', () => {
  const { sessions } = open();
  assert.deepEqual(partitionsOf(sessions.fetch(caller(0), request(['t/0', 't/1']), forever)), ['t/0', 't/1']);
  assert.deepEqual(partitionsOf(sessions.fetch(caller(1), request(['u/0']), forever)), ['t/0', 't/1', 'u/0']);
  assert.deepEqual(partitionsOf(sessions.fetch(caller(2), request([], ['t/0']), forever)), ['t/1', 'u/0']);
  assert.notEqual(typeof sessions.acknowledge(caller(3), forever), 'string');
  assert.deepEqual(partitionsOf(sessions.fetch(caller(-1), request(), forever)), ['t/1', 'u/0']);
  assert.equal(sessions.size, 0);
});

test('requests that do not fit the session are refused', () => {
  const { sessions } = open();
  assert.equal(sessions.fetch(caller(1), request(), forever), 'SHARE_SESSION_NOT_FOUND');
  assert.equal(sessions.fetch(caller(-1), request(), forever), 'SHARE_SESSION_NOT_FOUND');
  assert.equal(sessions.acknowledge(caller(1), forever), 'SHARE_SESSION_NOT_FOUND');
  sessions.fetch(caller(0), request(), forever);
  assert.equal(sessions.fetch(caller(2), request(), forever), 'INVALID_SHARE_SESSION_EPOCH');
  assert.equal(sessions.acknowledge(caller(0), forever), 'INVALID_SHARE_SESSION_EPOCH');
  assert.equal(sessions.acknowledge(caller(1, 'n'), forever), 'SHARE_SESSION_NOT_FOUND', 'of another member');
  assert.notEqual(typeof sessions.acknowledge(caller(1), forever), 'string', 'a refusal changes nothing');
});

test('a member that opens a session again gets a new one', () => {
  const { sessions, lost } = open();
  sessions.fetch(caller(0), request(['t/0']), forever);
  assert.deepEqual(partitionsOf(sessions.fetch(caller(0), request(['t/1']), forever)), ['t/1']);
  assert.deepEqual([sessions.size, lost], [1, []]);
});

test('sessions and their partitions are limited', () => {
  const { sessions } = open({ sessionsMax: 2, partitionsMax: 3 });
  sessions.fetch(caller(0, 'a'), request(['t/0']), forever);
  sessions.fetch(caller(0, 'b'), request(['t/0', 't/1']), forever);
  assert.equal(sessions.fetch(caller(0, 'c'), request(), forever), 'SHARE_SESSION_LIMIT_REACHED');
  assert.equal(sessions.fetch(caller(1, 'a'), request(['t/1']), forever), 'SHARE_SESSION_LIMIT_REACHED');
  assert.equal(sessions.size, 1, 'the one that grew too large is gone');
  assert.notEqual(typeof sessions.fetch(caller(0, 'c'), request(['t/0']), forever), 'string');
});

test('a session ends with the connection that last used it', () => {
  const { sessions, lost } = open();
  const first = new AbortController();
  const second = new AbortController();
  sessions.fetch(caller(0), request(['t/0']), first.signal);
  sessions.fetch(caller(1), request(), second.signal);
  first.abort();
  assert.deepEqual([sessions.size, lost], [1, []]);
  second.abort();
  assert.deepEqual([sessions.size, lost], [0, ['m']]);
});

test('a session that was closed does not count as lost', () => {
  const { sessions, lost } = open();
  const connection = new AbortController();
  sessions.fetch(caller(0), request(['t/0']), connection.signal);
  sessions.acknowledge(caller(-1), connection.signal);
  connection.abort();
  assert.deepEqual(lost, []);
});
