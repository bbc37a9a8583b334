import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileCommit, filesToSend } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { one } from '../../testing/held-commits.ts';
import { append, commitsThrough, startWritePath } from '../../testing/write-path-stage.ts';
import type { FlushLimits } from './data-file.ts';

/** A write path whose commits store files, each when the test says so. */
async function start(flush: Partial<FlushLimits> = {}) {
  const commits: FileCommit[][] = [];
  const waiting: (() => void)[] = [];
  const state = { isHeld: false, isConnected: true, connect: () => {} };
  const port = commitsThrough(async (wanted, cluster) => {
    if (!state.isConnected)
      await new Promise<void>((resolve) => {
        state.connect = resolve;
      });
    const files = filesToSend(wanted);
    if (files.length === 0) return [];
    commits.push([...files]);
    if (state.isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    for (const { content } of files) await path.store.put(content!.key, content!.slices);
    return cluster.commitFiles(files.map(({ content: _, ...commit }) => commit));
  });
  const path = await startWritePath({ port, flush, commitsContent: (bucket) => bucket === 0 });
  return {
    path,
    commits,
    state,
    async release() {
      state.isHeld = false;
      for (const go of waiting.splice(0)) go();
      await settle();
    },
  };
}

const nextOffset = ({ path }: Awaited<ReturnType<typeof start>>) =>
  path.view.ends(path.topicId, 0)!.nextOffset;

test('a commit carries its file, which is uploaded by nobody else', async () => {
  const stage = await start();
  const { path, commits } = stage;
  const appended = append(path, [one(path.topicId, 'a'), one(path.topicId, 'b')]);
  await settle();
  assert.deepEqual(appended.offsets, [0, 1]);
  const [{ content, fileBytes }] = commits[0] as [FileCommit];
  assert.equal(Buffer.concat(content!.slices).length, fileBytes);
  assert.deepEqual([path.store.puts, [...path.store.objects.keys()]], [1, [content!.key]]);
});

test('what comes while a commit is under way is the next file', async () => {
  const stage = await start();
  const { path, commits, state } = stage;
  state.isHeld = true;
  const first = append(path, [one(path.topicId, 'first')]);
  await settle();
  const others = ['a', 'b', 'c'].map((value) => append(path, [one(path.topicId, value)]));
  await settle();
  assert.equal(commits.length, 1);
  await stage.release();
  path.clock.advance(100);
  await settle();
  assert.deepEqual([first.offsets, ...others.map(({ offsets }) => offsets)], [[0], [1], [2], [3]]);
  assert.deepEqual(
    commits.map((files) => files.map(({ topic }) => topic.length)),
    [[1], [3]],
  );
});

test('large requests that come while a commit is under way share a file, up to its largest size', async () => {
  const stage = await start({ compressedBytesMax: 1_000, gatheredBytesMax: 5_000 });
  const { path, commits, state } = stage;
  state.isHeld = true;
  const values = Array.from({ length: 7 }, (_, number) => String(number).repeat(1_500));
  const appends = values.map((value) => append(path, [one(path.topicId, value)]));
  await settle();
  await stage.release();
  await settle();
  assert.deepEqual(
    appends.map(({ offsets }) => offsets),
    values.map((_, at) => [at]),
  );
  assert.deepEqual(
    commits.map((files) => files.map(({ topic }) => topic.length)),
    [[1], [4], [2]],
  );
});

test('a request whose deadline expires during its commit gets the result when its bytes are free', async () => {
  const stage = await start();
  const { path, state } = stage;
  state.isHeld = true;
  const hasty = append(path, [one(path.topicId, 'a')], 100);
  await settle();
  path.clock.advance(5_000);
  await settle();
  assert.equal(hasty.outcome, undefined);
  const timers = path.clock.waiting;
  path.clock.advance(5_000);
  assert.ok(path.clock.waiting <= timers, 'its deadline is not checked again and again');
  await stage.release();
  assert.deepEqual([hasty.errors, hasty.offsets], [['NONE'], [0]]);
});

test('a request whose deadline expires before its commit is not committed, and is answered when its bytes are free', async () => {
  const stage = await start();
  const { path, commits, state } = stage;
  state.isConnected = false;
  const hasty = append(path, [one(path.topicId, 'a')], 100);
  const patient = append(path, [one(path.topicId, 'b')]);
  await settle();
  path.clock.advance(200);
  await settle();
  assert.equal(hasty.outcome, undefined);
  state.isConnected = true;
  state.connect();
  await settle();
  assert.deepEqual([hasty.errors, patient.offsets], [['REQUEST_TIMED_OUT'], [0]]);
  assert.equal(commits[0]![0]!.topic.length, 1, 'the file holds two batches, the commit one');
  assert.equal(nextOffset(stage), 1);
});

test('a file whose requests are all given up is not committed', async () => {
  const stage = await start();
  const { path, commits, state } = stage;
  state.isConnected = false;
  const hasty = append(path, [one(path.topicId, 'a')], 100);
  await settle();
  path.clock.advance(200);
  await settle();
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT']);
  state.isConnected = true;
  state.connect();
  await settle();
  assert.deepEqual([commits.length, path.store.puts], [0, 0]);
});
