import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileCommit } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { zeroUuid } from '@weir/wire';
import { batchOf, produced } from '../../testing/data-path.ts';
import {
  append,
  client,
  heldPuts,
  recordingPort,
  startWritePath as start,
} from '../../testing/write-path-stage.ts';

test('requests of one event-loop turn share a file, and later requests gather until it is committed', async () => {
  const path = await start();
  const puts = heldPuts(path);
  const first = append(path, [produced(path.topicId, 0, batchOf(['a', 'b']))]);
  const second = append(path, [
    produced(path.topicId, 0, batchOf(['c'])),
    produced(path.topicId, 1, batchOf(['d'])),
  ]);
  await settle();
  assert.equal(path.store.puts, 1);
  const third = append(path, [produced(path.topicId, 0, batchOf(['e']))]);
  const fourth = append(path, [produced(path.topicId, 1, batchOf(['f']))]);
  await settle();
  assert.equal(path.store.puts, 1, 'the next file waits for the upload');
  await puts.finish(1);
  assert.deepEqual([first.offsets, second.offsets], [[0], [2, 0]]);
  assert.equal(path.store.puts, 1, 'clients that just got a response may send again');
  path.clock.advance(1);
  await settle();
  assert.equal(path.store.puts, 2);
  await puts.finish(2);
  assert.deepEqual([third.offsets, fourth.offsets], [[3], [1]]);
  assert.equal(path.cluster.calls.commitFiles, 2);
});

test('a small file waits for clients that were just answered, but not longer than they need', async () => {
  const path = await start();
  const puts = heldPuts(path);
  const one = () => append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  one();
  one();
  await settle();
  const waiting = one();
  await puts.finish(1);
  assert.equal(path.store.puts, 1);
  one();
  await settle();
  assert.equal(path.store.puts, 1, 'one of the two clients sent again');
  const timers = path.clock.waiting;
  one();
  await settle();
  assert.equal(path.store.puts, 2, 'both clients sent again');
  assert.ok(path.clock.waiting < timers, 'the timer of the file is cancelled');
  await puts.finish(2);
  assert.deepEqual(waiting.offsets, [2]);
  // A request that comes alone does not wait at all.
  one();
  await settle();
  assert.equal(path.store.puts, 3);
});

test('a large file waits for the upload before it, and not for the commit', async () => {
  const path = await start({ port: recordingPort([], () => 'refuse') });
  const puts = heldPuts(path);
  append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  await settle();
  append(path, [produced(path.topicId, 0, batchOf(['b'.repeat(500_000)]))]);
  await puts.finish(1);
  assert.equal(path.store.puts, 1, 'a small file waits for the commit');
  append(path, [produced(path.topicId, 0, batchOf(['c'.repeat(600_000)]))]);
  await settle();
  assert.equal(path.store.puts, 2);
});

test('a file is closed by the window or by its size, and never by both', async () => {
  const path = await start({ flush: { windowMs: 250, compressedBytesMax: 1000 } });
  const timers = path.clock.waiting;
  const early = append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  path.clock.advance(249);
  await settle();
  assert.equal(path.store.puts, 0);
  const late = append(path, [produced(path.topicId, 0, batchOf(['b']))]);
  path.clock.advance(1);
  await settle();
  assert.equal(path.store.puts, 1);
  assert.deepEqual([early.offsets, late.offsets], [[0], [1]]);

  const large = append(path, [produced(path.topicId, 0, batchOf(['x'.repeat(1000)]))]);
  await settle();
  assert.equal(path.store.puts, 2, 'closed by its size at once');
  assert.deepEqual(large.offsets, [2]);
  assert.equal(path.clock.waiting, timers, 'the window of a full file has ended');
  path.clock.advance(1000);
  await settle();
  assert.equal(path.store.puts, 2);
});

test('the sizes at which a file is closed', async (t) => {
  const hundred = batchOf(['x'.repeat(100 - batchOf(['']).length)]);
  assert.equal(hundred.length, 100);
  const table: {
    name: string;
    uncompressedBytesMax: number;
    compressedBytesMax: number | undefined;
    gatheredBytesMax?: number;
    inflation: number;
    puts: number;
  }[] = [
    {
      name: 'neither size is reached',
      uncompressedBytesMax: 1000,
      compressedBytesMax: 1000,
      inflation: 1,
      puts: 0,
    },
    { name: 'compressed', uncompressedBytesMax: 1000, compressedBytesMax: 300, inflation: 1, puts: 1 },
    { name: 'uncompressed', uncompressedBytesMax: 1000, compressedBytesMax: 1000, inflation: 5, puts: 1 },
    {
      name: 'only the uncompressed size counts',
      uncompressedBytesMax: 300,
      compressedBytesMax: undefined,
      inflation: 1,
      puts: 1,
    },
    {
      name: 'without the other',
      uncompressedBytesMax: 10_000,
      compressedBytesMax: undefined,
      inflation: 1,
      puts: 0,
    },
    {
      name: 'a file that may gather waits for more',
      uncompressedBytesMax: 10_000,
      compressedBytesMax: 100,
      gatheredBytesMax: 1000,
      inflation: 1,
      puts: 0,
    },
  ];
  for (const { name, inflation, puts, ...limits } of table) {
    await t.test(name, async () => {
      const path = await start({ flush: { windowMs: 250, ...limits } });
      for (let count = 0; count < 3; count++) {
        append(path, [{ ...produced(path.topicId, 0, hundred), uncompressedBytes: 100 * inflation }]);
      }
      await settle();
      assert.equal(path.store.puts, puts);
    });
  }
});

test('small requests gather beyond the file size, for a while and up to a limit', async () => {
  const hundred = batchOf(['x'.repeat(100 - batchOf(['']).length)]);
  const flush = { windowMs: 250, compressedBytesMax: 300, gatheredBytesMax: 700 };
  const path = await start({ flush });
  const appendSome = async (count: number) => {
    for (let sent = 0; sent < count; sent++) append(path, [produced(path.topicId, 0, hundred)]);
    await settle();
    return path.store.puts;
  };
  assert.equal(await appendSome(3), 0, 'the file gathers');
  path.clock.advance(100);
  await settle();
  assert.equal(path.store.puts, 1, 'it does not gather for long');
  assert.equal(await appendSome(7), 1, 'it has its size, and takes what clients are sending');
  path.clock.advance(9);
  assert.equal(await appendSome(1), 1);
  path.clock.advance(10);
  await settle();
  assert.equal(path.store.puts, 2, 'no more came');
  assert.equal(await appendSome(11), 3, 'it does not gather beyond its limit');
  assert.equal(await appendSome(1), 3);
  path.clock.advance(250);
  await settle();
  assert.equal(path.store.puts, 4, 'a small file waits for its window');
});

test('a file closes early when all of its clients wait for it', async () => {
  const path = await start({ flush: { windowMs: 250, compressedBytesMax: 10_000 } });
  const puts = heldPuts(path);
  const [a, b] = [client(path), client(path)];
  const one = () => [produced(path.topicId, 0, batchOf(['x']))];
  a(one());
  await settle();
  assert.equal(path.store.puts, 1, 'a client that comes alone waits for nothing');
  a(one());
  await puts.finish(1);
  path.clock.advance(69);
  await settle();
  assert.equal(path.store.puts, 1, 'the client could have two requests in flight before');
  a(one());
  b(one());
  await settle();
  assert.equal(path.store.puts, 1, 'files are 70 ms apart');
  path.clock.advance(1);
  await settle();
  assert.equal(path.store.puts, 2);
  await puts.finish(2);

  b(one());
  path.clock.advance(200);
  await settle();
  assert.equal(path.store.puts, 3);
  a(one());
  path.clock.advance(200);
  await settle();
  assert.equal(path.store.puts, 3, 'the first client may send another request');
});

test('large requests of a client that can send no more are one file, which is not delayed', async () => {
  const path = await start({ flush: { windowMs: 250, compressedBytesMax: 1_000, gatheredBytesMax: 16_000 } });
  const puts = heldPuts(path);
  const send = client(path);
  const large = () => [produced(path.topicId, 0, batchOf(['x'.repeat(1_000)]))];
  send(large());
  await settle();
  assert.equal(path.store.puts, 1, 'nothing is known about the client');
  const behind = Array.from({ length: 4 }, () => send(large()));
  path.clock.advance(50);
  await settle();
  assert.equal(path.store.puts, 1, 'all of its requests wait, one of them for the file before');
  await puts.finish(1);
  send(large());
  await settle();
  assert.equal(path.store.puts, 2, 'all five are here');
  await puts.finish(2);
  assert.deepEqual(
    behind.map(({ errors }) => errors),
    Array(4).fill(['NONE']),
  );
  send(large());
  send(large());
  path.clock.advance(19);
  await settle();
  assert.equal(path.store.puts, 2);
  path.clock.advance(1);
  await settle();
  assert.equal(path.store.puts, 3, 'it does not wait for long for requests that do not come');
});

test('a request stays in one file, at any size', async () => {
  const commits: FileCommit[][] = [];
  const path = await start({
    flush: { windowMs: 250, compressedBytesMax: 100 },
    port: recordingPort(commits, () => 'go'),
  });
  const batches = Array.from({ length: 4 }, (_, partition) =>
    produced(path.topicId, partition, batchOf(['x'.repeat(500)])),
  );
  const all = append(path, batches);
  await settle();
  assert.deepEqual(all.errors, ['NONE', 'NONE', 'NONE', 'NONE']);
  assert.equal(commits.flat().length, 1);
  assert.deepEqual([...commits[0]![0]!.partition], [0, 1, 2, 3]);
});

test('commits keep the order of files in whatever order uploads finish, and share calls', async () => {
  const commits: FileCommit[][] = [];
  const path = await start({ flush: { compressedBytesMax: 1 }, port: recordingPort(commits, () => 'go') });
  const puts = heldPuts(path);
  const appends = Array.from({ length: 5 }, (_, index) =>
    append(path, [produced(path.topicId, 0, batchOf([`${index}`]), { producerId: 7, baseSequence: index })]),
  );
  assert.equal(path.store.puts, 5, 'uploads run side by side');
  for (const put of [5, 3, 2, 4]) await puts.finish(put);
  assert.deepEqual(
    appends.map(({ outcome }) => outcome),
    Array(5).fill(undefined),
  );
  await puts.finish(1);
  assert.deepEqual(
    appends.map(({ offsets, errors }) => [offsets, errors]),
    [0, 1, 2, 3, 4].map((offset) => [[offset], ['NONE']]),
  );
  assert.equal(commits.length, 1, 'five files in one call');
  assert.equal(commits[0]!.length, 5);
});

test('a file that cannot be stored fails, together with later batches of its producers', async () => {
  const path = await start({ flush: { compressedBytesMax: 1 } });
  const puts = heldPuts(path);
  const of = (producerId: number | undefined, baseSequence: number, partition = 0) => {
    const producer = producerId === undefined ? {} : { producerId, baseSequence };
    return append(path, [
      produced(path.topicId, partition, batchOf([`${producerId} ${baseSequence}`]), producer),
    ]);
  };
  const lost = of(7, 0);
  const follower = of(7, 1);
  const otherPartition = of(7, 0, 1);
  const otherProducer = of(8, 0);
  const noProducer = of(undefined, 0);
  for (const put of [2, 3, 4, 5]) await puts.finish(put);
  await puts.fail(1);
  assert.deepEqual(
    [lost, follower, otherPartition, otherProducer, noProducer].map(({ errors }) => errors),
    [['KAFKA_STORAGE_ERROR'], ['KAFKA_STORAGE_ERROR'], ['NONE'], ['NONE'], ['NONE']],
  );
  assert.deepEqual([otherProducer.offsets, noProducer.offsets], [[0], [1]], 'lost batches have no offset');
  const again = of(7, 0);
  const alsoAgain = of(7, 1);
  await puts.finish(6);
  await puts.finish(7);
  assert.deepEqual([again.offsets, alsoAgain.offsets], [[2], [3]]);
});

test('a slow upload delays only files with the same clients or producers', async () => {
  const commits: FileCommit[][] = [];
  const path = await start({ flush: { compressedBytesMax: 1 }, port: recordingPort(commits, () => 'go') });
  const puts = heldPuts(path);
  const [a, b, c] = [client(path), client(path), client(path)];
  const sequenced = (baseSequence: number) =>
    produced(path.topicId, 0, batchOf([`${baseSequence}`]), { producerId: 7, baseSequence });
  const plain = () => produced(path.topicId, 0, batchOf(['x']));
  const slow = a([sequenced(0)]);
  const other = b([plain()]);
  const sameConnection = a([plain()]);
  const sameProducer = c([sequenced(1)]);
  const behindThat = c([plain()]);
  for (const put of [2, 3, 4, 5]) await puts.finish(put);
  const all = [slow, other, sameConnection, sameProducer, behindThat];
  assert.deepEqual(
    all.map(({ offsets }) => offsets),
    [undefined, [0], undefined, undefined, undefined],
  );
  await puts.finish(1);
  assert.deepEqual(
    all.map(({ offsets }) => offsets),
    [[1], [0], [2], [3], [4]],
  );
  assert.deepEqual(
    commits.map((files) => files.length),
    [1, 4],
  );
});

test('while a commit is in doubt, files that overtake wait, and the same files are sent again', async () => {
  const commits: FileCommit[][] = [];
  const path = await start({
    flush: { compressedBytesMax: 1 },
    port: recordingPort(commits, (call) => (call === 1 ? 'loseAnswer' : 'go')),
  });
  const puts = heldPuts(path);
  const plain = () => [produced(path.topicId, 0, batchOf(['x']))];
  const [slow, first, second] = [client(path), client(path), client(path)].map((send) => send(plain()));
  await puts.finish(2);
  await puts.finish(1);
  await puts.finish(3);
  assert.equal(commits.length, 1);
  path.clock.advance(1_000);
  await settle();
  assert.deepEqual([slow!.offsets, first!.offsets, second!.offsets], [[1], [0], [2]]);
  assert.deepEqual(
    commits.map((files) => files.length),
    [1, 1, 2],
  );
  assert.equal(commits[0]![0]!.fileId, commits[1]![0]!.fileId);
});

test('requests that wait for a file are refused too if their producer has lost a batch', async () => {
  const path = await start({ flush: { windowMs: 250, compressedBytesMax: 150 }, bufferedBytesMax: 400 });
  const puts = heldPuts(path);
  const large = (sequence: number) =>
    produced(path.topicId, 0, batchOf(['x'.repeat(100)]), { producerId: 7, baseSequence: sequence });
  const small = produced(path.topicId, 0, batchOf(['x']), { producerId: 7, baseSequence: 1 });
  const uploading = append(path, [large(0)]);
  const open = append(path, [small]);
  const waiting = append(path, [large(2)]);
  const other = append(path, [produced(path.topicId, 1, batchOf(['y'.repeat(100)]))]);
  await settle();
  assert.equal(path.store.puts, 1);
  await puts.fail(1);
  assert.deepEqual(
    [uploading.errors, open.errors, waiting.errors],
    [['KAFKA_STORAGE_ERROR'], ['KAFKA_STORAGE_ERROR'], ['KAFKA_STORAGE_ERROR']],
  );
  await puts.finish(2);
  assert.deepEqual(other.errors, ['NONE']);
});

test('a commit of unknown outcome is repeated with the same file until the outcome is known', async (t) => {
  for (const failure of ['refuse', 'loseAnswer'] as const) {
    await t.test(failure, async () => {
      const commits: FileCommit[][] = [];
      const path = await start({ port: recordingPort(commits, (call) => (call <= 3 ? failure : 'go')) });
      const first = append(path, [produced(path.topicId, 0, batchOf(['a']))]);
      await settle();
      const second = append(path, [produced(path.topicId, 0, batchOf(['b']))]);
      await settle();
      assert.deepEqual([first.outcome, second.outcome], [undefined, undefined]);
      const unknown = commits[0]![0]!.fileId;
      for (let attempt = 0; attempt < 5; attempt++) {
        path.clock.advance(1000);
        await settle();
      }
      assert.deepEqual([first.offsets, second.offsets], [[0], [1]]);
      const files = commits.map(([file]) => file!.fileId);
      assert.deepEqual(
        files.slice(0, 4),
        Array.from({ length: 4 }, () => unknown),
        'the same file each time',
      );
      assert.equal(path.view.ends(path.topicId, 0)!.nextOffset, 2);
    });
  }
});

test('a call that is refused as a whole fails only the faulty file', async () => {
  const commits: FileCommit[][] = [];
  const isBad = (files: readonly FileCommit[]) => files.some(({ partition }) => partition.includes(3));
  const path = await start({
    flush: { compressedBytesMax: 1 },
    port: recordingPort(commits, () => (isBad(commits.at(-1)!) ? 'break' : 'go')),
  });
  const puts = heldPuts(path);
  const appends = [0, 1, 3, 2].map((partition) =>
    append(path, [produced(path.topicId, partition, batchOf([`${partition}`]))]),
  );
  for (const put of [4, 3, 2, 1]) await puts.finish(put);
  assert.deepEqual(
    appends.map(({ errors }) => errors),
    [['NONE'], ['NONE'], ['UNKNOWN_SERVER_ERROR'], ['NONE']],
  );
});

test('a client gets a timeout at its deadline, but not while the store reads its bytes', async () => {
  const path = await start({ port: recordingPort([], (call) => (call <= 4 ? 'refuse' : 'go')) });
  const puts = heldPuts(path);
  const hasty = append(path, [produced(path.topicId, 0, batchOf(['a']))], 100);
  const patient = append(path, [produced(path.topicId, 0, batchOf(['b']))], 1_000);
  await settle();
  path.clock.advance(150);
  await settle();
  assert.equal(hasty.outcome, undefined, 'the store still reads the bytes');
  await puts.finish(1);
  assert.deepEqual(hasty.errors, ['REQUEST_TIMED_OUT']);
  assert.equal(patient.outcome, undefined);
  path.clock.advance(850);
  await settle();
  assert.deepEqual(patient.errors, ['REQUEST_TIMED_OUT']);
  for (let second = 0; second < 5; second++) {
    path.clock.advance(1_000);
    await settle();
  }
  assert.equal(
    path.view.ends(path.topicId, 0)!.nextOffset,
    1,
    'the commit continues with the remaining batches',
  );
  assert.equal(path.clock.waiting, 0);
});

test('requests wait for room in order of arrival and report their throttle time', async () => {
  const path = await start({ flush: { windowMs: 250, compressedBytesMax: 150 }, bufferedBytesMax: 450 });
  const puts = heldPuts(path);
  const large = () => [produced(path.topicId, 0, batchOf(['x'.repeat(100)]))];
  const taken = [append(path, large()), append(path, large())];
  const held = append(path, large());
  const behind = append(path, [produced(path.topicId, 0, batchOf(['s']))]);
  const tooMuch = append(path, [produced(path.topicId, 0, batchOf(['x'.repeat(300)]))]);
  await settle();
  assert.equal(path.store.puts, 2);
  assert.deepEqual(tooMuch.errors, ['REQUEST_TIMED_OUT']);
  assert.equal(tooMuch.outcome!.throttleTimeMs, 1_000);
  path.clock.advance(70);
  await puts.finish(1);
  assert.equal(path.store.puts, 3);
  path.clock.advance(250);
  await settle();
  for (const put of [2, 3, 4]) await puts.finish(put);
  assert.deepEqual(
    [...taken, held, behind].map(({ offsets }) => offsets),
    [[0], [1], [2], [3]],
  );
  assert.deepEqual(
    [...taken, held, behind].map(({ outcome }) => outcome!.throttleTimeMs),
    [0, 0, 70, 70],
  );
  assert.match(path.metrics.render(), /backpressure_source="buffered_bytes"\} 3/);
});

test('an open file does not make requests without room wait for the rest of its window', async () => {
  const path = await start({ flush: { windowMs: 250 }, bufferedBytesMax: 200 });
  const first = append(path, [produced(path.topicId, 0, batchOf(['x'.repeat(100)]))]);
  const second = append(path, [produced(path.topicId, 0, batchOf(['y'.repeat(100)]))]);
  await settle();
  assert.deepEqual([first.offsets, path.store.puts], [[0], 1]);
  path.clock.advance(250);
  await settle();
  assert.deepEqual(second.offsets, [1]);
});

test('the number of files that wait for their commit is limited, and requests beyond it wait', async () => {
  const path = await start({ flush: { compressedBytesMax: 1 }, inflightFilesMax: 2 });
  path.cluster.unavailable = true;
  const appends = Array.from({ length: 4 }, (_, index) =>
    append(path, [produced(path.topicId, 0, batchOf([`${index}`]))], 5_000),
  );
  await settle();
  assert.equal(path.store.puts, 2);
  for (let second = 0; second < 5; second++) {
    path.clock.advance(1_000);
    await settle();
  }
  assert.deepEqual(
    appends.map(({ errors }) => errors?.[0]),
    ['REQUEST_TIMED_OUT', 'REQUEST_TIMED_OUT', 'REQUEST_TIMED_OUT', 'REQUEST_TIMED_OUT'],
  );
  path.cluster.unavailable = false;
  for (let second = 0; second < 5; second++) {
    path.clock.advance(1_000);
    await settle();
  }
  assert.equal(path.view.ends(path.topicId, 0)!.nextOffset, 0, 'no commit was sent');
  assert.equal(path.clock.waiting, 0);
});

test('draining writes everything at once and then resolves', async () => {
  const path = await start({ flush: { windowMs: 250 } });
  const puts = heldPuts(path);
  await path.writePath.drain();
  const last = append(path, [produced(path.topicId, 0, batchOf(['a']))]);
  let isDrained = false;
  void path.writePath.drain().then(() => {
    isDrained = true;
  });
  await settle();
  assert.deepEqual([path.store.puts, isDrained], [1, false]);
  await puts.finish(1);
  assert.deepEqual([last.errors, isDrained], [['NONE'], true]);
  assert.equal(path.clock.waiting, 0);
});

test('errors of single batches from the control plane reach their requests', async () => {
  const path = await start();
  const first = append(path, [produced(path.topicId, 0, batchOf(['a']), { producerId: 1, baseSequence: 0 })]);
  await settle();
  const mixed = append(path, [
    produced(path.topicId, 0, batchOf(['a']), { producerId: 1, baseSequence: 0 }),
    produced(path.topicId, 9, batchOf(['b'])),
    produced(path.topicId, 1, batchOf(['c'])),
    produced(zeroUuid, 0, batchOf(['d'])),
    produced(path.topicId, 0, batchOf(['e']), { producerId: 1, baseSequence: 5 }),
  ]);
  await settle();
  assert.deepEqual(first.offsets, [0]);
  assert.deepEqual(mixed.errors, [
    'NONE',
    'UNKNOWN_TOPIC_OR_PARTITION',
    'NONE',
    'UNKNOWN_TOPIC_ID',
    'OUT_OF_ORDER_SEQUENCE_NUMBER',
  ]);
  assert.deepEqual(mixed.offsets, [0, -1, 0, -1, -1]);
});
