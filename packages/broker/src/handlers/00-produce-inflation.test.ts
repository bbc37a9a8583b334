import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, MiB, nextTurn, systemClock } from '@weir/core';
import { requireShortTurns, settle } from '@weir/core/testing';
import { buildRecordBatch, type CompressionCodec } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { acceptingWritePath } from '../../testing/accepting-write-path.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { errorName } from '../../testing/transactional-client.ts';
import { ClientInflation } from '../inflation/client-inflation.ts';
import { brokerLimits } from '../limits.ts';
import { produceHandler } from './00-produce.ts';

async function start(
  configs: Record<string, string>,
  inflation = new ClientInflation(),
  pause = async () => {},
) {
  const { appended, writePath } = acceptingWritePath();
  const inflated = { atOnce: 0, offThread: 0 };
  let pauses = 0;
  const produce = produceHandler({
    roles: ['proxy'],
    metrics: new Metrics(),
    writePath,
    recordBytesMax: 1 * MiB,
    inflation,
    pause: () => {
      pauses++;
      return pause();
    },
    onInflated: (bytes, where) => {
      inflated[where] += bytes;
    },
  });
  const agent = await startTestAgent({ produce });
  agent.cluster.addTopic('t', 100, configs);

  type Batches = readonly [partition: number, records: Buffer][];

  function sendAs(acks: number, batches: Batches, closed?: AbortSignal) {
    const partitionData = batches.map(([index, records]) => ({ index, records }));
    const body = { acks, timeoutMs: 1000, topicData: [{ name: 't', partitionData }] };
    return agent.call('Produce', 11, body, null, closed);
  }

  async function send(batches: Batches, closed?: AbortSignal) {
    const answer = answered(await sendAs(-1, batches, closed));
    return answer.responses[0]!.partitionResponses.map(({ errorCode }) => errorName(errorCode));
  }
  return { send, sendAs, appended, inflated, pauses: () => pauses, clock: agent.clock };
}

/** A decompression bomb: records of zeros, which compress to almost nothing. */
function bomb(codec: CompressionCodec, recordCount: number, valueBytes: number): Buffer {
  const value = Buffer.alloc(valueBytes);
  const records = Array.from({ length: recordCount }, () => ({
    timestamp: 0n,
    key: Buffer.from('k'),
    value,
  }));
  return buildRecordBatch(records, { codec });
}

for (const codec of ['gzip', 'zstd'] as const) {
  test(`${codec}: the decompressed size of a request is limited, however small the request is`, async () => {
    const { send, appended } = await start({ 'cleanup.policy': 'compact' });
    const batch = bomb(codec, 16, 1_000_000);
    assert.ok(batch.length * 1000 < brokerLimits.inflatedRequestBytesMax);
    const errorNames = await send(Array.from({ length: 20 }, (_, partition) => [partition, batch]));
    const inflated = appended.reduce((sum, { uncompressedBytes }) => sum + uncompressedBytes, 0);
    assert.equal(appended.length, 4);
    assert.ok(inflated <= brokerLimits.inflatedRequestBytesMax, `${inflated} bytes`);
    assert.deepEqual(errorNames, [
      ...Array.from({ length: 4 }, () => 'NONE'),
      ...Array.from({ length: 16 }, () => 'MESSAGE_TOO_LARGE'),
    ]);
  });
}

test('a batch of many records is validated in slices, and a small one synchronously', async () => {
  const { send, appended, pauses } = await start({ 'cleanup.policy': 'compact' });
  assert.deepEqual(await send([[0, bomb('lz4', 100, 10)]]), ['NONE']);
  assert.equal(pauses(), 0);
  const recordCount = 20 * wireLimits.walkedRecordsPerTurnMax;
  for (const codec of ['none', 'snappy', 'lz4', 'gzip', 'zstd'] as const) {
    const before = pauses();
    assert.deepEqual(await send([[0, bomb(codec, recordCount, 1)]]), ['NONE'], codec);
    assert.equal(pauses() - before, 19, codec);
  }
  assert.equal(appended.length, 6);
});

test('no compressed batch occupies the thread', async () => {
  const pause = () => nextTurn(systemClock);
  const { send } = await start({ 'cleanup.policy': 'compact' }, new ClientInflation(), pause);
  for (const codec of ['none', 'snappy', 'lz4', 'gzip', 'zstd'] as const) {
    const cases: [what: string, batches: [partition: number, records: Buffer][]][] = [
      ['many records', [[0, bomb(codec, 200_000, 1)]]],
      ['large records', [[0, bomb(codec, 16, 900_000)]]],
      ['many batches', Array.from({ length: 100 }, (_, index) => [index, bomb(codec, 1, 100_000)])],
    ];
    for (const [of, batches] of cases) {
      const what = `${of} in ${codec}`;
      const errorNames = await requireShortTurns(() => send(batches), { what });
      assert.deepEqual([...new Set(errorNames)], ['NONE'], what);
    }
  }
});

test('many small batches are not all decompressed synchronously', async () => {
  const { send, appended } = await start({ 'cleanup.policy': 'compact' });
  const batch = bomb('gzip', 1, 200_000);
  const partitions = Array.from({ length: 50 }, (_, partition) => partition);
  const errorNames = await send(partitions.map((partition) => [partition, batch]));
  assert.deepEqual([...new Set(errorNames)], ['NONE']);
  // Batches that are decompressed off the serving thread follow the two that fit into the synchronous budget.
  assert.deepEqual(
    appended.map(({ partition }) => partition),
    partitions,
  );
});

test('requests of a connection keep their order when one is decompressed off the serving thread, and other connections do not wait', async () => {
  const { send, appended } = await start({ 'cleanup.policy': 'compact' });
  const one = new AbortController().signal;
  const large = bomb('gzip', 4, 500_000);
  const small = bomb('none', 1, 10);
  const first = send([[0, large]], one);
  const second = send([[1, small]], one);
  const ofOther = send([[2, small]]);
  assert.deepEqual(await Promise.all([first, second, ofOther]), [['NONE'], ['NONE'], ['NONE']]);
  assert.deepEqual(
    appended.map(({ partition }) => partition),
    [2, 0, 1],
  );
  // Later requests of the connection do not wait.
  assert.deepEqual(await send([[3, small]], one), ['NONE']);
});

test('a record that is too large is refused off the serving thread as well, and the other partitions are written', async () => {
  const { send, appended } = await start({});
  const errorNames = await send([
    [0, bomb('zstd', 1, 20 * MiB)],
    [1, bomb('none', 1, 10)],
  ]);
  assert.deepEqual(errorNames, ['MESSAGE_TOO_LARGE', 'NONE']);
  assert.deepEqual(
    appended.map(({ partition }) => partition),
    [1],
  );
});

test('a partition that appears twice is refused each time', async () => {
  const { send, appended } = await start({});
  const batch = bomb('none', 1, 10);
  const errorNames = await send([
    [0, batch],
    [1, batch],
    [0, batch],
  ]);
  assert.deepEqual(errorNames, ['INVALID_REQUEST', 'NONE', 'INVALID_REQUEST']);
  assert.deepEqual(
    appended.map(({ partition }) => partition),
    [1],
  );
});

test('batches of a disconnected client are not decompressed, except with acks 0', async () => {
  for (const acks of [-1, 0]) {
    const { sendAs, appended, pauses } = await start({ 'cleanup.policy': 'compact' });
    const closing = new AbortController();
    const answer = sendAs(
      acks,
      [[0, bomb('none', 5 * wireLimits.walkedRecordsPerTurnMax, 1)]],
      closing.signal,
    );
    closing.abort();
    assert.equal(await answer, acks === 0 ? 'noReply' : 'close');
    assert.equal(appended.length, acks === 0 ? 1 : 0);
    assert.equal(pauses(), acks === 0 ? 4 : 0);
  }
});

/** A decompression bomb attack: as many partitions as fit into a small request, each with a batch of zeros. */
const attackBytes = 162_000;
const partitions = Array.from({ length: 100 }, (_, partition) => partition);

/** Number and size of records that fit into the share of a partition. */
const zerosOfShare = {
  gzip: [12, 100_000],
  snappy: [1, 25_000],
  lz4: [3, 100_000],
  zstd: [100, 100_000],
} as const;

function shareOfAttack(codec: keyof typeof zerosOfShare): Buffer {
  const [recordCount, valueBytes] = zerosOfShare[codec];
  const batch = bomb(codec, recordCount, valueBytes);
  assert.ok(batch.length * partitions.length <= attackBytes, `${batch.length} bytes`);
  return batch;
}

for (const codec of ['gzip', 'snappy', 'lz4', 'zstd'] as const) {
  test(`${codec}: a request of 162 KB decompresses to no more than its budget, and little of it synchronously`, async () => {
    const { send, inflated, appended } = await start({ 'cleanup.policy': 'compact' });
    const batch = shareOfAttack(codec);
    const errorNames = await send(partitions.map((partition) => [partition, Buffer.from(batch)]));
    assert.equal(errorNames.filter((error) => error === 'NONE').length, appended.length);
    assert.ok(inflated.atOnce <= brokerLimits.inflatedAtOnceBytesMax, `${inflated.atOnce} bytes at once`);
    const inflatedBytes = inflated.atOnce + inflated.offThread;
    assert.ok(inflatedBytes <= brokerLimits.inflatedRequestBytesMax, `${inflatedBytes} bytes`);
    assert.ok(appended.length > 0);
  });

  test(`${codec}: a record that is too large stops the decompression of its batch`, async () => {
    const { send, inflated, appended } = await start({ 'max.message.bytes': '100000' });
    // Raw snappy blocks are decompressed as a whole; other codecs are decompressed block by block.
    const batch = bomb(codec, 8, 8 * MiB);
    const errorNames = await send(partitions.slice(0, 6).map((partition) => [partition, Buffer.from(batch)]));
    assert.deepEqual([[...new Set(errorNames)], appended.length], [['MESSAGE_TOO_LARGE'], 0]);
    assert.ok(inflated.atOnce <= brokerLimits.inflatedAtOnceBytesMax, `${inflated.atOnce} bytes at once`);
    assert.ok(inflated.offThread <= 6 * 4 * MiB, `${inflated.offThread} bytes`);
  });

  test(`${codec}: a partition that appears a hundred times is not decompressed at all`, async () => {
    const { send, inflated } = await start({ 'cleanup.policy': 'compact' });
    const batch = shareOfAttack(codec);
    const errorNames = await send(partitions.map(() => [0, batch]));
    assert.deepEqual(
      [[...new Set(errorNames)], inflated],
      [['INVALID_REQUEST'], { atOnce: 0, offThread: 0 }],
    );
  });
}

test('concurrent requests together decompress no more synchronously than the budget of one event-loop turn', async () => {
  const { send, inflated, clock } = await start({ 'cleanup.policy': 'compact' });
  const batch = bomb('gzip', 1, 200_000);
  const sendMany = () => Promise.all(partitions.map((partition) => send([[partition, Buffer.from(batch)]])));
  assert.deepEqual([...new Set((await sendMany()).flat())], ['NONE']);
  assert.ok(inflated.atOnce <= brokerLimits.inflatedPerTurnBytesMax, `${inflated.atOnce} bytes at once`);
  assert.ok(inflated.offThread >= partitions.length * 200_000 - brokerLimits.inflatedPerTurnBytesMax);
  // The next turn has a new budget.
  const before = inflated.atOnce;
  clock.advance(1);
  await send([[0, Buffer.from(batch)]]);
  assert.ok(inflated.atOnce > before);
});

test('a connection that pipelines compressible requests decompresses no more than its budget, and others do not wait', async () => {
  const limits = { bytesMax: 1 * MiB, bytesPerSecondMax: 1 * MiB };
  const { send, appended, clock } = await start({ 'cleanup.policy': 'compact' }, new ClientInflation(limits));
  const batch = bomb('gzip', 1, 600_000);
  const connection = new AbortController().signal;
  const answered: string[] = [];
  const sent = partitions.slice(0, 12).map(async (partition) => {
    answered.push(...(await send([[partition, Buffer.from(batch)]], connection)));
  });
  const perBatchBytes = 600_000;
  for (let index = 12; index < 24; index++) {
    assert.deepEqual(await send([[index, Buffer.from(batch)]]), ['NONE']);
  }
  assert.ok(answered.length <= 3, `${answered.length} requests without waiting`);

  // Time refills the token bucket, and no request is refused.
  const budgetBytes = () => limits.bytesMax + (limits.bytesPerSecondMax * clock.monotonicMs()) / 1000;
  while (answered.length < sent.length) {
    assert.ok((answered.length - 2) * perBatchBytes <= 1.1 * budgetBytes(), `${answered.length} requests`);
    clock.advance(100);
    // The thread pool needs a turn of the event loop.
    await nextTurn(systemClock);
  }
  assert.deepEqual([...new Set(answered)], ['NONE']);
  assert.deepEqual(
    appended.filter(({ partition }) => partition < 12).map(({ partition }) => partition),
    partitions.slice(0, 12),
  );
  assert.ok((sent.length - 2) * perBatchBytes <= 1.1 * budgetBytes());
});

test('queued batches of a disconnected client are not decompressed', async () => {
  const limits = { bytesMax: 600_000, bytesPerSecondMax: 1 * MiB };
  const { sendAs, inflated, clock } = await start(
    { 'cleanup.policy': 'compact' },
    new ClientInflation(limits),
  );
  const batch = bomb('gzip', 1, 600_000);
  const closing = new AbortController();
  const first = sendAs(-1, [[0, Buffer.from(batch)]], closing.signal);
  await first;
  const before = inflated.atOnce + inflated.offThread;
  const others = partitions.slice(1, 5).map((partition) => sendAs(-1, [[partition, batch]], closing.signal));
  await settle();
  closing.abort();
  clock.advance(5000);
  assert.deepEqual(await Promise.all(others), ['close', 'close', 'close', 'close']);
  assert.equal(inflated.atOnce + inflated.offThread, before);
});
