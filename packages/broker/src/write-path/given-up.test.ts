import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallNotDone, ClusterUnavailable, type FileCommit } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { AgentKeyRefused } from '@weir/rpc';
import type { DataPath } from '../../testing/data-path.ts';
import { one, startDisconnected, startHeld, startStuck } from '../../testing/held-commits.ts';
import { append, heldPuts, recordingPort, startWritePath } from '../../testing/write-path-stage.ts';
import { writeRows } from './write-metrics.ts';

/**
 * A request that was answered as failed before its commit was sent is never committed, in whatever state its deadline
 * expired: its client retries it, and the records would be stored twice.
 */

const usualTimeoutMs = 30_000;
/** Each request gets its own file, and files are uploaded in parallel. */
const fileEach = { flush: { compressedBytesMax: 1 } };

/** Advances time in steps, so that waiting promises can settle. */
async function pass(path: DataPath, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    path.clock.advance(Math.min(left, 500));
    await settle();
  }
}

const nextOffset = (path: DataPath & { topicId: string }, partition = 0) =>
  path.view.ends(path.topicId, partition)!.nextOffset;

test('a request whose deadline expires in the open file leaves it and is answered at once', async () => {
  const path = await startWritePath({ flush: { windowMs: 250 } });
  const hasty = append(path, [one(path.topicId, 'a')], 100);
  const patient = append(path, [one(path.topicId, 'b')]);
  path.clock.advance(100);
  await settle();
  assert.deepEqual([hasty.errors, path.store.puts], [['REQUEST_TIMED_OUT'], 0]);
  path.clock.advance(150);
  await settle();
  assert.deepEqual(patient.offsets, [0]);
  assert.equal(nextOffset(path), 1);
});

test('an open file that becomes empty is never written', async () => {
  const path = await startWritePath({ flush: { windowMs: 250 }, bufferedBytesMax: 200 });
  const timers = path.clock.waiting;
  const hasty = append(path, [one(path.topicId, 'x'.repeat(100))], 100);
  path.clock.advance(100);
  await settle();
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT']);
  assert.equal(path.clock.waiting, timers);
  const next = append(path, [one(path.topicId, 'y'.repeat(100))]);
  path.clock.advance(250);
  await settle();
  assert.deepEqual([next.offsets, path.store.puts], [[0], 1], 'its bytes are released');
});

test('a request whose deadline expires during the upload is answered when the store releases its bytes, and is not committed', async () => {
  const commits: FileCommit[][] = [];
  const path = await startWritePath({ port: recordingPort(commits, () => 'go') });
  const puts = heldPuts(path);
  const hasty = append(path, [one(path.topicId, 'a', undefined, 1), one(path.topicId, 'b')], 100);
  const patient = append(path, [one(path.topicId, 'c')]);
  await settle();
  path.clock.advance(200);
  await settle();
  assert.equal(hasty.outcome, undefined);
  await puts.finish(1);
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT', 'REQUEST_TIMED_OUT']);
  assert.deepEqual(patient.offsets, [0]);
  assert.deepEqual([...commits[0]![0]!.partition], [0], 'the file holds three batches, the commit one');
  const metricValue = (name: string) =>
    path.metrics.read().find(({ row }) => row.name === name)!.series[0]!.value;
  assert.deepEqual(
    [metricValue(writeRows.batches.name), metricValue(writeRows.producedRecords.name)],
    [1, 1],
  );
});

test('an upload without waiting requests is aborted', async () => {
  const commits: FileCommit[][] = [];
  const path = await startWritePath({ port: recordingPort(commits, () => 'go') });
  heldPuts(path);
  const timers = path.clock.waiting;
  const appends = [100, 200].map((ms) => append(path, [one(path.topicId, `${ms}`)], ms));
  await settle();
  path.clock.advance(100);
  await settle();
  assert.deepEqual([appends[0]!.outcome, path.store.runningPuts], [undefined, 1]);
  path.clock.advance(100);
  await settle();
  assert.deepEqual(
    appends.map(({ errors }) => errors),
    [['REQUEST_TIMED_OUT'], ['REQUEST_TIMED_OUT']],
  );
  assert.deepEqual([path.store.runningPuts, commits.length, path.clock.waiting], [0, 0, timers]);
});

test('a stored request whose deadline expires behind a commit in doubt is not committed, and its room is free', async () => {
  const { held, path, stuck: inDoubt } = await startStuck({ ...fileEach, inflightFilesMax: 2 }, 10_000);
  const stored = append(path, [one(path.topicId, 'b')], 10_000);
  await settle();
  assert.equal(path.store.puts, 2);
  await pass(path, 10_000);
  assert.deepEqual([inDoubt.errors, stored.errors], [['REQUEST_TIMED_OUT'], ['REQUEST_TIMED_OUT']]);
  const later = append(path, [one(path.topicId, 'c')]);
  await settle();
  assert.equal(path.store.puts, 3, 'an abandoned file does not count');
  await held.release();
  assert.deepEqual(later.offsets, [1]);
  assert.equal(nextOffset(path), 2, 'the commit in doubt took effect, the unsent request did not');
});

test('a file is committed without expired requests, and the others keep their order', async () => {
  const { held, path } = await startStuck({ flush: { compressedBytesMax: 64 << 20 } });
  const large = 'x'.repeat(600_000);
  const appends = [30_000, 2_000, 30_000, 1_000].map((ms, index) =>
    append(path, [one(path.topicId, `${index}${large}`)], ms),
  );
  await settle();
  assert.equal(path.store.puts, 2);
  await pass(path, 3_000);
  await held.release();
  assert.deepEqual(
    appends.map(({ errors, offsets }) => [errors, offsets]),
    [
      [['NONE'], [1]],
      [['REQUEST_TIMED_OUT'], [-1]],
      [['NONE'], [2]],
      [['REQUEST_TIMED_OUT'], [-1]],
    ],
  );
  assert.equal(held.commits[1]![0]!.partition.length, 2);
  assert.equal(nextOffset(path), 3);
});

test('a repeated commit carries no new batches', async () => {
  const commits: FileCommit[][] = [];
  const path = await startWritePath({
    ...fileEach,
    port: recordingPort(commits, (call) => (call <= 3 ? 'refuse' : 'go')),
  });
  const inDoubt = append(path, [one(path.topicId, 'a')]);
  await settle();
  const stored = append(path, [one(path.topicId, 'b')], 100);
  await pass(path, 5_000);
  assert.deepEqual([inDoubt.offsets, stored.errors], [[0], ['REQUEST_TIMED_OUT']]);
  assert.equal(new Set(commits.flat().map(({ fileId }) => fileId)).size, 1);
  assert.equal(nextOffset(path), 1);
});

test('batches that an idempotent producer sent after an expired one are refused until the expired one is retried', async () => {
  const { held, path } = await startStuck({ ...fileEach });
  const first = append(path, [one(path.topicId, 'a', 0)], 1_000);
  const second = append(path, [one(path.topicId, 'b', 1)]);
  const otherPartition = append(path, [one(path.topicId, 'c', 0, 1)]);
  await pass(path, 1_000);
  assert.deepEqual([first.errors, second.errors], [['REQUEST_TIMED_OUT'], ['KAFKA_STORAGE_ERROR']]);
  const tooEarly = append(path, [one(path.topicId, 'b', 1)]);
  await settle();
  assert.deepEqual(tooEarly.errors, ['KAFKA_STORAGE_ERROR']);
  const again = [append(path, [one(path.topicId, 'a', 0)]), append(path, [one(path.topicId, 'b', 1)])];
  await settle();
  await held.release();
  assert.deepEqual(
    [...again, otherPartition].map(({ errors, offsets }) => [errors, offsets]),
    [
      [['NONE'], [1]],
      [['NONE'], [2]],
      [['NONE'], [0]],
    ],
  );
  assert.equal(nextOffset(path), 3);
});

test('a batch that was retried before its first attempt was given up does not count as lost', async () => {
  const { held, path } = await startStuck({ ...fileEach });
  const first = append(path, [one(path.topicId, 'a', 0)], 1_000);
  await settle();
  const again = [append(path, [one(path.topicId, 'a', 0)]), append(path, [one(path.topicId, 'b', 1)])];
  await pass(path, 1_000);
  assert.deepEqual(first.errors, ['REQUEST_TIMED_OUT']);
  const third = append(path, [one(path.topicId, 'c', 2)]);
  await settle();
  await held.release();
  assert.deepEqual(
    [...again, third].map(({ offsets }) => offsets),
    [[1], [2], [3]],
  );
});

test('a request of a client that disconnected while a commit was stuck is not written, even before its deadline', async () => {
  const { held, path, stuck: inDoubt } = await startStuck();
  const impatient = new AbortController();
  const patient = new AbortController();
  const requests = [
    append(path, [one(path.topicId, 'b')], usualTimeoutMs, impatient.signal),
    append(path, [one(path.topicId, 'c')], usualTimeoutMs, patient.signal),
    append(path, [one(path.topicId, 'd')], usualTimeoutMs),
  ];
  await pass(path, 1_500);
  impatient.abort();
  await held.release();
  path.clock.advance(1);
  await settle();
  assert.deepEqual(inDoubt.offsets, [0]);
  assert.deepEqual(
    requests.map(({ errors }) => errors),
    [['REQUEST_TIMED_OUT'], ['NONE'], ['NONE']],
  );
  assert.equal(nextOffset(path), 3);
});

test('a request of a client that disconnected while the request waited behind others of its connection is not written', async () => {
  const { held, path, stuck } = await startStuck();
  const receivedMs = path.clock.monotonicMs();
  const left = AbortSignal.abort();
  await pass(path, 2_000);
  await held.release();
  assert.deepEqual(stuck.offsets, [0]);
  // It is processed when the earlier requests are answered.
  path.clock.advance(1);
  const deadlineMs = path.clock.monotonicMs() + usualTimeoutMs;
  const waited = path.writePath.append([one(path.topicId, 'b')], { deadlineMs, left, receivedMs });
  const late = path.writePath.append([one(path.topicId, 'c')], {
    ...{ deadlineMs, left },
    receivedMs: path.clock.monotonicMs(),
  });
  await pass(path, 1_000);
  const outcomes = (await Promise.all([waited, late])).map(({ results: [result] }) => result!.error);
  assert.deepEqual([outcomes, nextOffset(path)], [['REQUEST_TIMED_OUT', 'NONE'], 2]);
});

test('requests of a disconnected client are dropped from a stored file, from the waiting queue, and behind a slow upload', async (t) => {
  await t.test('stored', async () => {
    const { held, path } = await startStuck({ ...fileEach });
    const client = new AbortController();
    const disconnected = append(path, [one(path.topicId, 'b')], usualTimeoutMs, client.signal);
    await pass(path, 2_000);
    client.abort();
    await held.release();
    assert.deepEqual([disconnected.errors, nextOffset(path)], [['REQUEST_TIMED_OUT'], 1]);
  });
  await t.test('waiting', async () => {
    const { held, path } = await startHeld({ ...fileEach, inflightFilesMax: 1 });
    held.hold();
    append(path, [one(path.topicId, 'a')]);
    append(path, [one(path.topicId, 'b')]);
    await settle();
    const client = new AbortController();
    const disconnected = append(path, [one(path.topicId, 'c')], usualTimeoutMs, client.signal);
    await pass(path, 2_000);
    client.abort();
    await held.release();
    assert.deepEqual([disconnected.errors, nextOffset(path)], [['REQUEST_TIMED_OUT'], 2]);
  });
  await t.test('slow upload', async () => {
    const path = await startWritePath();
    const puts = heldPuts(path);
    const client = new AbortController();
    const disconnected = append(path, [one(path.topicId, 'a')], usualTimeoutMs, client.signal);
    const stays = append(path, [one(path.topicId, 'b')]);
    await pass(path, 2_000);
    client.abort();
    await puts.finish(1);
    assert.deepEqual([disconnected.errors, stays.offsets], [['REQUEST_TIMED_OUT'], [0]]);
  });
});

test('a request of a client that disconnects while nothing is stuck is written, because the client may just be done', async () => {
  const path = await startWritePath({ flush: { windowMs: 250 } });
  const client = new AbortController();
  append(path, [one(path.topicId, 'a')], usualTimeoutMs, client.signal);
  client.abort();
  path.clock.advance(250);
  await settle();
  assert.equal(nextOffset(path), 1);
});

test('a commit in doubt stays in doubt until there is an answer, even if its client has disconnected', async () => {
  let isDown = true;
  const commits: FileCommit[][] = [];
  const path = await startWritePath({ port: recordingPort(commits, () => (isDown ? 'loseAnswer' : 'go')) });
  const client = new AbortController();
  const inDoubt = append(path, [one(path.topicId, 'a')], 1_000, client.signal);
  await settle();
  client.abort();
  await pass(path, 5_000);
  assert.deepEqual(inDoubt.errors, ['REQUEST_TIMED_OUT']);
  isDown = false;
  await pass(path, 2_000);
  assert.equal(new Set(commits.flat().map(({ fileId }) => fileId)).size, 1);
  assert.equal(nextOffset(path), 1);
  assert.equal(path.clock.waiting, 0);
});

test('a request whose deadline expires while the commit waits for a connection is left out of the commit', async () => {
  const { held, path } = await startDisconnected();
  const hasty = append(path, [one(path.topicId, 'a')], 1_000);
  const patient = append(path, [one(path.topicId, 'b')]);
  await pass(path, 1_000);
  assert.deepEqual([path.store.puts, hasty.errors, patient.outcome], [1, ['REQUEST_TIMED_OUT'], undefined]);
  await held.connect();
  assert.deepEqual(patient.offsets, [0]);
  assert.deepEqual([held.commits.length, held.commits[0]![0]!.partition.length], [1, 1]);
  assert.equal(nextOffset(path), 1);
});

test('an empty commit is not sent, and later requests are committed', async () => {
  const { held, path } = await startHeld({ ...fileEach, inflightFilesMax: 1 });
  const timers = path.clock.waiting;
  held.disconnect();
  const hasty = append(path, [one(path.topicId, 'a')], 1_000);
  await pass(path, 1_000);
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT']);
  assert.equal(path.clock.waiting, timers);
  const later = append(path, [one(path.topicId, 'b')]);
  await settle();
  assert.equal(path.store.puts, 2, 'its bytes are released');
  await held.connect();
  assert.deepEqual([later.offsets, held.commits.length, nextOffset(path)], [[0], 1, 1]);

  held.disconnect();
  const last = append(path, [one(path.topicId, 'c')], 1_000);
  await pass(path, 1_000);
  await held.connect();
  assert.deepEqual([last.errors, held.commits.length, nextOffset(path)], [['REQUEST_TIMED_OUT'], 1, 1]);
});

test('a commit that failed before it was sent is not in doubt', async () => {
  const { held, path } = await startDisconnected();
  const hasty = append(path, [one(path.topicId, 'a')], 1_000);
  const patient = append(path, [one(path.topicId, 'b')]);
  await settle();
  await held.failUnsent(new ClusterUnavailable('no answer'));
  await pass(path, 1_000);
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT']);
  await held.connect();
  await pass(path, 1_000);
  assert.deepEqual(patient.offsets, [0]);
  assert.deepEqual([held.commits.length, nextOffset(path)], [1, 1]);
});

test('a request of a client that disconnected while the commit waited for a connection is not written', async () => {
  const { held, path } = await startDisconnected();
  const client = new AbortController();
  const disconnected = append(path, [one(path.topicId, 'a')], usualTimeoutMs, client.signal);
  const stays = append(path, [one(path.topicId, 'b')]);
  await settle();
  await pass(path, 1_500);
  client.abort();
  await held.connect();
  assert.deepEqual([disconnected.errors, stays.offsets, nextOffset(path)], [['REQUEST_TIMED_OUT'], [0], 1]);
});

test('a sent commit stays in doubt while it waits to be repeated, and is repeated unchanged', async () => {
  for (const error of [new ClusterUnavailable('the connection broke'), new AgentKeyRefused('401')]) {
    const { held, path } = await startHeld();
    held.hold();
    const hasty = append(path, [one(path.topicId, 'a')], 2_000);
    const patient = append(path, [one(path.topicId, 'b')]);
    await settle();
    held.disconnect();
    await held.loseAnswers(error);
    await pass(path, 1_000);
    await held.failUnsent(error);
    await pass(path, 1_000);
    assert.deepEqual([hasty.errors, patient.outcome], [['REQUEST_TIMED_OUT'], undefined]);
    await held.release();
    await held.connect();
    await pass(path, 1_000);
    assert.deepEqual([patient.offsets, nextOffset(path)], [[1], 2]);
    assert.deepEqual(held.commits[1], held.commits[0], 'no batch was removed from it');
  }
});

test('a commit that was sent and had no effect is not in doubt: requests answered meanwhile are not written', async () => {
  const { held, path } = await startHeld();
  held.hold();
  const hasty = append(path, [one(path.topicId, 'a', 0)], 1_000);
  const slow = append(path, [one(path.topicId, 'b')], 3_000);
  const patient = append(path, [one(path.topicId, 'c')]);
  await pass(path, 1_000);
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT']);
  held.disconnect();
  await held.loseAnswers(new CallNotDone('another process leads'));
  await pass(path, 2_000);
  assert.deepEqual(slow.errors, ['REQUEST_TIMED_OUT']);
  await held.release();
  const again = append(path, [one(path.topicId, 'a', 0)]);
  await held.connect();
  await pass(path, 1_000);
  assert.deepEqual([patient.offsets, again.offsets, nextOffset(path)], [[0], [1], 2]);
});

test('a commit that was in doubt before stays in doubt, although the repeated call had no effect', async () => {
  const { held, path } = await startHeld();
  held.hold();
  const hasty = append(path, [one(path.topicId, 'a')], 1_000);
  const patient = append(path, [one(path.topicId, 'b')]);
  await settle();
  await held.loseAnswers(new ClusterUnavailable('the connection broke'));
  await pass(path, 1_000);
  assert.equal(held.commits.length, 2);
  await held.loseAnswers(new CallNotDone('another process leads'));
  await held.release();
  await pass(path, 1_000);
  assert.deepEqual([hasty.errors, patient.offsets], [['REQUEST_TIMED_OUT'], [1]]);
  assert.deepEqual([held.commits[2], nextOffset(path)], [held.commits[0], 2]);
});

test('batches that an idempotent producer sent after one that was never sent are refused with it', async () => {
  const { held, path } = await startDisconnected({ ...fileEach });
  const first = append(path, [one(path.topicId, 'a', 0)], 1_000);
  const second = append(path, [one(path.topicId, 'b', 1)]);
  await pass(path, 1_000);
  assert.deepEqual([first.errors, second.errors], [['REQUEST_TIMED_OUT'], ['KAFKA_STORAGE_ERROR']]);
  const again = [append(path, [one(path.topicId, 'a', 0)]), append(path, [one(path.topicId, 'b', 1)])];
  await settle();
  await held.connect();
  assert.deepEqual(
    again.map(({ offsets }) => offsets),
    [[0], [1]],
  );
  assert.equal(nextOffset(path), 2);
});

test('batches of a file that is gone are answered so that clients write them again, in order', async () => {
  const commits: FileCommit[][] = [];
  const path = await startWritePath({
    ...fileEach,
    port: recordingPort(commits, (call) => (call === 1 ? 'gone' : 'go')),
  });
  const puts = heldPuts(path);
  const first = append(path, [one(path.topicId, 'a', 0)]);
  const second = append(path, [one(path.topicId, 'b', 1)]);
  await settle();
  await puts.finish(1);
  assert.deepEqual(first.errors, ['KAFKA_STORAGE_ERROR']);
  assert.deepEqual([second.errors, commits.length], [['KAFKA_STORAGE_ERROR'], 1], 'it does not overtake');
  const again = append(path, [one(path.topicId, 'a', 0)]);
  await settle();
  await puts.finish(3);
  assert.deepEqual(again.offsets, [0]);
  assert.notEqual(commits[1]![0]!.fileId, commits[0]![0]!.fileId);
});
