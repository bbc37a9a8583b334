import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileCommit } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { parseHeader } from '@weir/storage';
import { batchOf, produced } from '../../testing/data-path.ts';
import { append, client, heldPuts, recordingPort, startWritePath } from '../../testing/write-path-stage.ts';
import { deadFileDelayMs } from './dead-files.ts';

/** Past the delay of a hedge that has no samples. */
const slowMs = 1_001;

async function start(around: (call: number) => 'go' | 'refuse' | 'loseAnswer' | 'break' = () => 'go') {
  const commits: FileCommit[][] = [];
  const path = await startWritePath({ hedgesUploads: true, port: recordingPort(commits, around) });
  return { path, puts: heldPuts(path), commits };
}

const idsIn = (keys: Iterable<string>) => [...keys].map((key) => key.split('/').at(-1)!);

test('of a file that was uploaded twice, one is committed and readable, and the other is deleted', async () => {
  const { path, puts, commits } = await start();
  const send = client(path);
  const appended = send([
    produced(path.topicId, 0, batchOf(['a'])),
    produced(path.topicId, 1, batchOf(['b'])),
  ]);
  await settle();
  path.clock.advance(slowMs);
  await settle();
  assert.equal(path.store.puts, 2);
  await puts.finish(2);
  assert.deepEqual(appended.offsets, [0, 0]);
  const [stored] = idsIn(path.store.objects.keys());
  assert.deepEqual(
    commits.flat().map(({ fileId }) => fileId),
    [stored],
  );
  const bytes = [...path.store.objects.values()][0]!;
  assert.equal(parseHeader(bytes).fileId, stored, 'the file has the id that it was stored under');
  const { byteStart, byteLength } = commits[0]![0]!;
  for (const [at, value] of ['a', 'b'].entries()) {
    const batch = bytes.subarray(byteStart[at], byteStart[at]! + byteLength[at]!);
    assert.deepEqual(batch, batchOf([value]));
  }

  const deleted: string[] = [];
  path.store.delete = async (key) => void deleted.push(key);
  path.clock.advance(deadFileDelayMs);
  await settle();
  assert.equal(deleted.length, 1);
  assert.notDeepEqual(idsIn(deleted), [stored]);
  assert.match(path.metrics.render(), /agent_dead_files_counter\{outcome="deleted"\} 1/);
  assert.equal(path.clock.waiting, 0);
});

test('the id of a file is the same in every repetition of its commit', async () => {
  const { path, puts, commits } = await start((call) => (call <= 2 ? 'loseAnswer' : 'go'));
  const appended = append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  await settle();
  path.clock.advance(slowMs);
  await settle();
  await puts.finish(2);
  path.clock.advance(1_000);
  await settle();
  path.clock.advance(1_000);
  await settle();
  assert.deepEqual(appended.offsets, [0]);
  assert.equal(commits.length, 3);
  assert.equal(new Set(commits.flat().map(({ fileId }) => fileId)).size, 1);
  assert.deepEqual(idsIn(path.store.objects.keys()), [commits[0]![0]!.fileId]);
});

test('if both uploads fail, the requests fail, nothing is committed, and both keys are deleted', async () => {
  const { path, puts, commits } = await start();
  const appended = append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  await settle();
  path.clock.advance(slowMs);
  await settle();
  await puts.fail(1);
  assert.equal(appended.errors, undefined);
  await puts.fail(2);
  assert.deepEqual(appended.errors, ['KAFKA_STORAGE_ERROR']);
  assert.equal(commits.length, 0);
  path.clock.advance(deadFileDelayMs);
  await settle();
  assert.match(path.metrics.render(), /agent_dead_files_counter\{outcome="deleted"\} 2/);
});

test('a request that times out during both uploads is answered when neither uses its bytes', async () => {
  const { path, commits } = await start();
  const appended = append(path, [produced(path.topicId, 0, batchOf(['a']))], 2_000);
  await settle();
  path.clock.advance(slowMs);
  await settle();
  assert.equal(path.store.runningPuts, 2);
  path.clock.advance(1_000);
  await settle();
  assert.deepEqual(appended.errors, ['REQUEST_TIMED_OUT']);
  assert.equal(path.store.runningPuts, 0);
  assert.equal(commits.length, 0);
});

test('an agent that stops leaves its dead files to the scan for orphans', async () => {
  const { path, puts } = await start();
  append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  await settle();
  path.clock.advance(slowMs);
  await settle();
  await puts.finish(1);
  path.writePath.abandon();
  assert.equal(path.clock.waiting, 0);
  assert.match(path.metrics.render(), /agent_dead_files_counter\{outcome="left"\} 1/);
});

for (const winner of [1, 2, 3]) {
  test(`an urgent file is uploaded three times, and committed by the id of upload ${winner} if that is stored first`, async () => {
    const commits: FileCommit[][] = [];
    const path = await startWritePath({
      hedgesUploads: true,
      flush: { windowMs: 250, compressedBytesMax: 1_000, gatheredBytesMax: 16_000 },
      port: recordingPort(commits, () => 'go'),
    });
    const puts = heldPuts(path);
    const send = client(path);
    const large = () => send([produced(path.topicId, 0, batchOf(['x'.repeat(1_000)]))]);
    large();
    for (let i = 0; i < 4; i++) large();
    await puts.finish(1);
    const last = large();
    await settle();
    assert.equal(path.store.puts, 2);
    for (const uploads of [2, 3]) {
      path.clock.advance(10);
      await settle();
      assert.equal(path.store.puts, 1 + uploads);
    }
    await puts.finish(1 + winner);
    assert.deepEqual(last.offsets, [5]);
    const stored = idsIn(path.store.objects.keys());
    assert.deepEqual(
      commits.flat().map(({ fileId }) => fileId),
      stored,
    );
    assert.equal(parseHeader([...path.store.objects.values()].at(-1)!).fileId, stored.at(-1));

    const deleted: string[] = [];
    path.store.delete = async (key) => void deleted.push(key);
    path.clock.advance(deadFileDelayMs);
    await settle();
    assert.equal(deleted.length, 2);
    for (const id of idsIn(deleted)) assert.ok(!stored.includes(id), 'no committed file is deleted');
  });
}
