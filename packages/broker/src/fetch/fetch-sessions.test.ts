import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { type Apis, errorByCode, type RequestOf } from '@weir/wire';
import { atOnce } from '../../testing/at-once.ts';
import { batchOf, DataPath, produced } from '../../testing/data-path.ts';
import { brokerLimits } from '../limits.ts';
import { type FetchRound, FetchSessions, type PartitionNews } from './fetch-sessions.ts';

const alice = 'User:alice';
const mallory = 'User:mallory';

async function start() {
  const path = new DataPath();
  const { topicId } = path.cluster.addTopic('t', 4);
  await path.ready();

  async function write(partition: number, value: string): Promise<void> {
    await path.writePath.append([produced(topicId, partition, batchOf([value]))], { deadlineMs: 1e15 });
    await settle();
  }

  /** Fetches within a session; partitions as `partition: offset`. */
  async function fetch(
    session: readonly [id: number, epoch: number],
    wanted: Readonly<Record<number, number>> = {},
    { version = 11, forgotten = [] as number[], partitionMaxBytes = 1 << 20, maxBytes = 1 << 20 } = {},
  ) {
    const response = await path.call('Fetch', version, {
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes,
      sessionId: session[0],
      sessionEpoch: session[1],
      topics: [
        {
          topic: 't',
          topicId,
          partitions: Object.entries(wanted).map(([partition, offset]) => ({
            partition: Number(partition),
            fetchOffset: BigInt(offset),
            partitionMaxBytes,
          })),
        },
      ],
      forgottenTopicsData: forgotten.length === 0 ? [] : [{ topic: 't', topicId, partitions: forgotten }],
    });
    assert.ok(typeof response !== 'string');
    const partitions = response.responses.flatMap(({ partitions }) => partitions);
    return {
      id: response.sessionId,
      error: errorByCode(response.errorCode)!.name,
      reported: partitions.map(({ partitionIndex }) => partitionIndex),
      withRecords: partitions
        .filter(({ records }) => records!.length > 0)
        .map(({ partitionIndex }) => partitionIndex),
      errors: partitions.map(({ errorCode }) => errorByCode(errorCode)!.name),
    };
  }
  return { path, topicId, write, fetch };
}

test('a session returns only partitions with changes', async () => {
  const { write, fetch } = await start();
  await write(0, 'a');
  const first = await fetch([0, 0], { 0: 0, 1: 0, 2: 0 });
  assert.ok(first.id > 0);
  assert.deepEqual([first.reported, first.withRecords], [[0, 1, 2], [0]]);

  assert.deepEqual((await fetch([first.id, 1], { 0: 1 })).reported, [], 'nothing new');
  await write(1, 'b');
  const third = await fetch([first.id, 2]);
  assert.deepEqual([third.reported, third.withRecords, third.id], [[1], [1], first.id]);
  assert.deepEqual((await fetch([first.id, 3])).withRecords, [1], 'the offset is still the old one');
  assert.deepEqual((await fetch([first.id, 4], { 1: 1 })).reported, []);

  const added = await fetch([first.id, 5], { 3: 0 });
  assert.deepEqual(added.reported, [3], 'a new partition is reported');
  await write(2, 'c');
  await write(3, 'd');
  const forgot = await fetch([first.id, 6], {}, { forgotten: [2] });
  assert.deepEqual(forgot.reported, [3]);
});

test('a partition with an error is returned each time, and once more when it has recovered', async () => {
  const { path, fetch } = await start();
  const { id } = await fetch([0, 0], { 0: 0, 1: 5 });
  const second = await fetch([id, 1]);
  assert.deepEqual([second.reported, second.errors], [[1], ['OFFSET_OUT_OF_RANGE']]);
  const third = await fetch([id, 2], { 1: 0 });
  assert.deepEqual([third.reported, third.errors], [[1], ['NONE']]);
  assert.deepEqual((await fetch([id, 3])).reported, []);
  path.view.close();
});

test('partitions that were just served come last', async () => {
  const { write, fetch } = await start();
  for (const partition of [0, 1, 2]) await write(partition, 'x');
  const one = { partitionMaxBytes: 1, maxBytes: 1 };
  const { id, withRecords } = await fetch([0, 0], { 0: 0, 1: 0, 2: 0 }, one);
  const turns = [withRecords];
  for (let epoch = 1; epoch <= 4; epoch++) turns.push((await fetch([id, epoch], {}, one)).withRecords);
  assert.deepEqual(turns, [[0], [1], [2], [0], [1]]);
});

test('session errors apply to the whole request', async () => {
  const { path, fetch } = await start();
  assert.equal((await fetch([77, 1])).error, 'FETCH_SESSION_ID_NOT_FOUND');
  const { id } = await fetch([0, 0], { 0: 0 });
  assert.equal((await fetch([id, 2])).error, 'INVALID_FETCH_SESSION_EPOCH');
  assert.equal((await fetch([id, 1], {}, { version: 13 })).error, 'FETCH_SESSION_TOPIC_ID_ERROR');
  assert.equal((await fetch([id, 1])).error, 'NONE', 'the session is unaffected');

  const renewed = await fetch([id, 0], { 0: 0 });
  assert.notEqual(renewed.id, id);
  assert.equal((await fetch([id, 2])).error, 'FETCH_SESSION_ID_NOT_FOUND', 'a full fetch closes the old one');
  const last = await fetch([renewed.id, -1], { 0: 0 });
  assert.deepEqual([last.id, last.reported], [0, [0]]);
  assert.equal(path.sessions.size, 0);
  assert.equal((await fetch([0, -1], { 0: 0 })).id, 0);
  assert.equal((await fetch([0, 0], {})).id, 0, 'no session without partitions');
});

test('a session without partitions is closed', async () => {
  const { path, fetch } = await start();
  const { id } = await fetch([0, 0], { 0: 0 });
  assert.equal((await fetch([id, 1], {}, { forgotten: [0] })).id, 0);
  assert.deepEqual([path.sessions.size, path.sessions.partitionCount], [0, 0]);
});

type FetchRequest = RequestOf<Apis['Fetch']>;

function requestOf(sessionId: number, sessionEpoch: number, partitions: number): FetchRequest {
  return {
    sessionId,
    sessionEpoch,
    topics: [
      {
        topic: 't',
        partitions: Array.from({ length: partitions }, (_, partition) => ({
          partition,
          fetchOffset: 0n,
          partitionMaxBytes: 1,
          currentLeaderEpoch: -1,
        })),
      },
    ],
    forgottenTopicsData: [],
  } as unknown as FetchRequest;
}

function run(sessions: FetchSessions, id: number, epoch: number, partitions: number, owner = alice): number {
  const round = atOnce(sessions.begin(requestOf(id, epoch, partitions), 11, owner));
  assert.ok(typeof round !== 'string');
  const news = (round as FetchRound).partitions.map(
    (partition): PartitionNews => ({
      partition,
      hasError: false,
      hasRecords: false,
      highWatermark: 0,
      lastStableOffset: 0,
      logStartOffset: 0,
    }),
  );
  return atOnce(round.end(news)).sessionId;
}

test('sessions are limited, and only idle ones are evicted', () => {
  const clock = new HandClock();
  const sessions = new FetchSessions({ clock, random: seededRandom(1), sessionsMax: 2, partitionsMax: 10 });
  const first = run(sessions, 0, 0, 1);
  const second = run(sessions, 0, 0, 1);
  assert.equal(run(sessions, 0, 0, 1), 0, 'both are in use');
  clock.advance(60_000);
  assert.equal(run(sessions, first, 1, 0), first);
  clock.advance(60_000);
  const third = run(sessions, 0, 0, 1);
  assert.ok(third > 0);
  assert.equal(atOnce(sessions.begin(requestOf(second, 1, 0), 11, alice)), 'FETCH_SESSION_ID_NOT_FOUND');
  assert.equal(run(sessions, first, 2, 0), first);
});

test('partitions in sessions are limited', () => {
  const clock = new HandClock();
  const sessions = new FetchSessions({ clock, random: seededRandom(1), sessionsMax: 9, partitionsMax: 10 });
  assert.equal(run(sessions, 0, 0, 11), 0);
  const first = run(sessions, 0, 0, 6);
  assert.ok(first > 0);
  assert.equal(run(sessions, 0, 0, 5), 0);
  assert.ok(run(sessions, 0, 0, 4) > 0);
  assert.equal(sessions.partitionCount, 10);
  assert.equal(run(sessions, first, 1, 7), 0, 'grown too large');
  assert.deepEqual([sessions.size, sessions.partitionCount], [1, 4]);
});

test('the epoch grows by one per request', () => {
  const sessions = new FetchSessions({ clock: new HandClock(), random: seededRandom(1) });
  const id = run(sessions, 0, 0, 1);
  for (let epoch = 1; epoch < 10; epoch++) assert.equal(run(sessions, id, epoch, 0), id);
  assert.equal(atOnce(sessions.begin(requestOf(id, 3, 0), 11, alice)), 'INVALID_FETCH_SESSION_EPOCH');
});

test('a session belongs to the principal that opened it', () => {
  const sessions = new FetchSessions({ clock: new HandClock(), random: seededRandom(1) });
  const id = run(sessions, 0, 0, 3);
  for (const epoch of [1, 2, 7]) {
    const answer = atOnce(sessions.begin(requestOf(id, epoch, 0), 11, mallory));
    assert.equal(answer, 'FETCH_SESSION_ID_NOT_FOUND', 'for any epoch');
  }
  assert.equal(run(sessions, id, -1, 0, mallory), 0);
  const other = run(sessions, id, 0, 1, mallory);
  assert.notEqual(other, id);
  assert.equal(run(sessions, id, 1, 0), id, 'neither used nor closed by the other');
  assert.deepEqual([sessions.size, sessions.partitionCount], [2, 4]);
});

test('a session that is closed while its partitions change in turns is counted no longer', () => {
  const clock = new HandClock();
  const sessions = new FetchSessions({ clock, random: seededRandom(1) });
  const id = run(sessions, 0, 0, 3);
  assert.equal(sessions.partitionCount, 3);
  const work = sessions.begin(requestOf(id, 1, 3 * brokerLimits.entriesPerTurnMax), 11, alice);
  assert.equal(work.next().done, false);
  assert.equal(
    atOnce(sessions.begin(requestOf(id, 1, 0), 11, alice)),
    'INVALID_FETCH_SESSION_EPOCH',
    'the request counts from its beginning',
  );
  run(sessions, id, -1, 0);
  assert.deepEqual([sessions.size, sessions.partitionCount], [0, 0]);
  const round = atOnce(work);
  assert.ok(typeof round !== 'string');
  assert.deepEqual([sessions.size, sessions.partitionCount], [0, 0]);
});
