import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@weir/core';
import { settle } from '@weir/core/testing';
import { buildEndTransactionMarker, buildRecordBatch, errors, RecordBatchView, zeroUuid } from '@weir/wire';
import { DataPath, type DataPathOptions } from '../../testing/data-path.ts';
import type { BatchToCopy, CopiedPart } from './copied-part.ts';
import { type CopyPath, createCopyPath } from './copy-path.ts';

/** A batch as a source has it: with its offset, and an epoch of ours. */
function batch(
  baseOffset: number,
  count: number,
  fields: Parameters<typeof buildRecordBatch>[1] = {},
): Buffer {
  const records = Array.from({ length: count }, (_, index) => ({
    offset: BigInt(baseOffset + index),
    timestamp: 1_000n,
    key: null,
    value: Buffer.from(`value ${baseOffset + index}`),
  }));
  return buildRecordBatch(records, { baseOffset: BigInt(baseOffset), partitionLeaderEpoch: 0, ...fields });
}

function abortMarker(baseOffset: number, producerId: bigint): Buffer {
  return buildEndTransactionMarker({
    result: 'abort',
    producerId,
    producerEpoch: 0,
    coordinatorEpoch: 0,
    timestamp: 1_000n,
    baseOffset: BigInt(baseOffset),
    partitionLeaderEpoch: 0,
  });
}

function partOf(
  topicId: string,
  partition: number,
  expectedOffset: number,
  slices: readonly Buffer[],
): CopiedPart {
  const batches = slices.map((bytes): BatchToCopy => {
    const view = new RecordBatchView(bytes);
    const nextOffset = Number(view.lastOffset) + 1;
    const kind = view.isControl ? 'abortMarker' : view.isTransactional ? 'transactional' : 'plain';
    const { producerEpoch, baseSequence, recordCount } = view;
    const [baseOffset, producerId] = [Number(view.baseOffset), Number(view.producerId)];
    const maxTimestampMs = Number(view.maxTimestamp);
    return {
      baseOffset,
      nextOffset,
      maxTimestampMs,
      producerId,
      producerEpoch,
      baseSequence,
      recordCount,
      kind,
    };
  });
  const byteLength = slices.reduce((sum, { length }) => sum + length, 0);
  const { nextOffset } = batches.at(-1)!;
  return { pipelineId: 'p', topicId, partition, expectedOffset, batches, slices, byteLength, nextOffset };
}

interface Opened {
  readonly path: DataPath;
  readonly copies: CopyPath;
  readonly topicId: string;
}

async function open(logStarts: readonly number[] = [0], options: DataPathOptions = {}): Promise<Opened> {
  const path = new DataPath(options);
  await path.ready();
  const topic = {
    name: 't',
    sourceTopic: 't',
    sourceTopicId: '',
    configs: {},
    logStarts: Float64Array.from(logStarts),
  };
  const [result] = await path.view.port.manageTopics([topic], 'p');
  await settle();
  const copies = createCopyPath({
    clusterId: path.cluster.clusterId,
    store: path.store,
    cluster: path.view,
    clock: path.clock,
    random: path.random,
    log: silentLog,
  });
  return { path, copies, topicId: result!.topic!.topicId };
}

async function fetchAll({ path }: Opened, partition: number, fetchOffset: number, isolationLevel = 0) {
  const answer = await path.call('Fetch', 12, {
    replicaId: -1,
    maxWaitMs: 0,
    minBytes: 0,
    maxBytes: 1 << 30,
    isolationLevel,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [
      {
        topic: 't',
        topicId: zeroUuid,
        partitions: [
          { partition, fetchOffset: BigInt(fetchOffset), partitionMaxBytes: 1 << 30, currentLeaderEpoch: -1 },
        ],
      },
    ],
    forgottenTopicsData: [],
    rackId: '',
  } as never);
  assert.ok(typeof answer !== 'string');
  return answer.responses[0]!.partitions[0]!;
}

/** The copy path waits a while for other parts. */
async function done<Value>(path: DataPath, value: Promise<Value>): Promise<Value> {
  await settle();
  path.clock.advance(1_000);
  await settle();
  return value;
}

test('clients read copies byte for byte, with their offsets and gaps', async () => {
  const opened = await open([5, 0]);
  const { path, copies, topicId } = opened;
  const first = [batch(7, 2), batch(12, 1, { codec: 'gzip' })];
  const second = [batch(13, 3)];
  const other = [batch(0, 4, { timestampType: 'logAppendTime' } as never)];
  const outcomes = await done(
    path,
    Promise.all([
      copies.append(partOf(topicId, 0, 5, first)),
      copies.append(partOf(topicId, 1, 0, other)),
      copies.append(partOf(topicId, 0, 13, second)),
    ]),
  );
  assert.deepEqual(
    outcomes,
    [13, 4, 16].map((nextOffset) => ({ error: 'NONE', nextOffset })),
  );
  assert.equal(path.store.puts, 1, 'all in one file');
  const fetched = await fetchAll(opened, 0, 5);
  assert.equal(fetched.highWatermark, 16n);
  assert.equal(fetched.logStartOffset, 5n);
  assert.ok(fetched.records!.equals(Buffer.concat([...first, ...second])));
  assert.ok((await fetchAll(opened, 0, 9)).records!.equals(Buffer.concat([first[1]!, ...second])));
  assert.ok((await fetchAll(opened, 1, 0)).records!.equals(Buffer.concat(other)));
});

test('readers of committed records leave out what was aborted at the source', async () => {
  const opened = await open();
  const { path, copies, topicId } = opened;
  const sent = batch(0, 2, {
    isTransactional: true,
    producerId: 7n,
    producerEpoch: 0,
    baseSequence: 0,
  } as never);
  await done(path, copies.append(partOf(topicId, 0, 0, [sent, batch(2, 1)])));
  const before = await fetchAll(opened, 0, 0, 1);
  assert.deepEqual([before.lastStableOffset, before.highWatermark], [0n, 3n]);
  await done(path, copies.append(partOf(topicId, 0, 3, [abortMarker(3, 7n)])));
  const after = await fetchAll(opened, 0, 0, 1);
  assert.deepEqual([after.lastStableOffset, after.highWatermark], [4n, 4n]);
  assert.deepEqual(
    after.abortedTransactions!.map(({ producerId, firstOffset }) => [producerId, firstOffset]),
    [[7n, 0n]],
  );
});

test('what fails is copied again, and nothing twice', async () => {
  const opened = await open();
  const { path, copies, topicId } = opened;
  const slices = [batch(0, 2)];
  path.store.beforePut = () => {
    throw new Error('the store is out');
  };
  const [failed, behind] = await done(
    path,
    Promise.all([
      copies.append(partOf(topicId, 0, 0, slices)),
      copies.append(partOf(topicId, 0, 2, [batch(2, 1)])),
    ]),
  );
  assert.deepEqual([failed.error, behind.error], ['UNAVAILABLE', 'UNAVAILABLE']);
  path.store.beforePut = () => {};
  assert.equal((await done(path, copies.append(partOf(topicId, 0, 0, slices)))).nextOffset, 2);
  const again = await done(path, copies.append(partOf(topicId, 0, 0, slices)));
  assert.deepEqual([again.error, again.nextOffset], ['END_CHANGED', 2]);
  assert.ok((await fetchAll(opened, 0, 0)).records!.equals(slices[0]!));
});

test('a file whose upload is slow does not let a later one overtake it', async () => {
  const opened = await open();
  const { path, copies, topicId } = opened;
  let release = () => {};
  path.store.beforePut = (put) =>
    put > 1
      ? undefined
      : new Promise<void>((resolve) => {
          release = resolve;
        });
  const first = copies.append(partOf(topicId, 0, 0, [batch(0, 2)]));
  path.clock.advance(1_000);
  await settle();
  const second = copies.append(partOf(topicId, 0, 2, [batch(2, 2)]));
  path.clock.advance(1_000);
  await settle();
  release();
  assert.deepEqual(
    (await done(path, Promise.all([first, second]))).map(({ error }) => error),
    ['NONE', 'NONE'],
  );
  await copies.drain();
});

test('an offset out of range is shown as asked for', async () => {
  const table: [hides: boolean | undefined, errorCode: number][] = [
    [undefined, errors.OFFSET_OUT_OF_RANGE.code],
    [false, errors.OFFSET_OUT_OF_RANGE.code],
    [true, errors.KAFKA_STORAGE_ERROR.code],
  ];
  for (const [hides, errorCode] of table) {
    const opened = await open([5], hides === undefined ? {} : { hidesOutOfRange: () => hides });
    for (const offset of [3, 9]) assert.equal((await fetchAll(opened, 0, offset)).errorCode, errorCode);
  }
});

test('memory is bounded: parts wait for those before them', async () => {
  const opened = await open(Array.from({ length: 10 }, () => 0));
  const { path, copies, topicId } = opened;
  const large = buildRecordBatch([{ offset: 0n, timestamp: 1n, key: null, value: Buffer.alloc(30 << 20) }], {
    baseOffset: 0n,
    partitionLeaderEpoch: 0,
  });
  let runningBytes = 0;
  let bytesMax = 0;
  const outcomes = Promise.all(
    Array.from({ length: 10 }, (_, partition) => copies.append(partOf(topicId, partition, 0, [large]))),
  );
  path.store.beforePut = async () => {
    runningBytes += large.length;
    bytesMax = Math.max(bytesMax, runningBytes);
    await settle();
    runningBytes -= large.length;
  };
  for (let turn = 0; turn < 20; turn++) await done(path, Promise.resolve());
  assert.ok((await outcomes).every(({ error }) => error === 'NONE'));
  assert.ok(bytesMax <= 150 << 20, `${bytesMax} bytes at a time`);
});
