import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEndTransactionMarker, buildRecordBatch } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { fetchedRecords } from './fetched-records.ts';

const pause = () => Promise.resolve();

/** A batch of one record, of a transaction unless it is plain. */
function batch(baseOffset: bigint, value: string, producerId?: bigint): Buffer {
  const isTransactional = producerId !== undefined;
  return buildRecordBatch([{ offset: baseOffset, timestamp: 1n, key: null, value: Buffer.from(value) }], {
    baseOffset,
    ...(isTransactional ? { isTransactional, producerId, producerEpoch: 0, baseSequence: 0 } : {}),
  });
}

function marker(baseOffset: bigint, producerId: bigint, result: 'abort' | 'commit'): Buffer {
  return buildEndTransactionMarker({
    baseOffset,
    producerId,
    producerEpoch: 0,
    result,
    coordinatorEpoch: 0,
    timestamp: 1n,
  });
}

/**
 * ```
 *  0 plain   1 aborted by 7   2 open by 8   3 abort of 7   4 committed by 7   5 commit of 7   6 commit of 8
 * ```
 */
const log = Buffer.concat([
  batch(0n, 'plain'),
  batch(1n, 'aborted', 7n),
  batch(2n, 'other', 8n),
  marker(3n, 7n, 'abort'),
  batch(4n, 'again', 7n),
  marker(5n, 7n, 'commit'),
  marker(6n, 8n, 'commit'),
]);

// biome-ignore format: a table
const reads: [name: string, fromOffset: bigint, aborted: { producerId: bigint; firstOffset: bigint }[] | null, found: string[]][] = [
  ['everything but markers', 0n, null,                                   ['plain', 'aborted', 'other', 'again']],
  ['committed records',      0n, [{ producerId: 7n, firstOffset: 1n }],  ['plain', 'other', 'again']],
  ['from an offset on',      2n, [{ producerId: 7n, firstOffset: 1n }],  ['other', 'again']],
  ['none is aborted',        0n, [],                                     ['plain', 'aborted', 'other', 'again']],
];

for (const [name, fromOffset, aborted, expected] of reads) {
  test(`records of a fetch: ${name}`, async () => {
    const found: string[] = [];
    const progress = { nextOffset: 0n };
    const options = { fromOffset, aborted, pause, bytesMax: 1e6, progress };
    for await (const { value } of fetchedRecords(log, options)) found.push(String(value));
    assert.deepEqual(found, expected);
    // Behind the markers at the end, so that a reader is not stuck before them.
    assert.equal(progress.nextOffset, 7n);
  });
}

test('no further batch is begun beyond the limit of decompressed bytes', async () => {
  const found: string[] = [];
  for await (const { value } of fetchedRecords(log, { fromOffset: 0n, aborted: null, pause, bytesMax: 1 }))
    found.push(String(value));
  assert.deepEqual(found, ['plain']);
});

test('a compressed batch that is too large ends the walk with one clear line', async () => {
  const value = Buffer.alloc(4_096);
  const large = buildRecordBatch([{ offset: 1n, timestamp: 1n, key: null, value }], {
    baseOffset: 1n,
    codec: 'gzip',
  });
  const progress = { nextOffset: 0n };
  const options = { fromOffset: 0n, aborted: null, pause, bytesMax: 1_000, progress };
  const offsets: bigint[] = [];
  const read = async (batchBytesMax: number) => {
    offsets.length = 0;
    const records = Buffer.concat([batch(0n, 'small'), large]);
    for await (const { offset } of fetchedRecords(records, { ...options, batchBytesMax }))
      offsets.push(offset);
  };
  await assert.rejects(read(1_024), {
    name: 'BatchTooLarge',
    message: 'The batch at offset 1 has more than 1KiB decompressed; read it with a Kafka client.',
  });
  assert.deepEqual([offsets, progress.nextOffset], [[0n], 1n], 'where to read on is the batch');
  await read(8_192);
  assert.deepEqual([offsets, progress.nextOffset], [[0n, 1n], 2n]);
});

for (const codec of ['none', 'zstd'] as const) {
  test(`${codec}: a batch of many records is passed over in turns`, async () => {
    const count = 5 * wireLimits.walkedRecordsPerTurnMax;
    const records = Array.from({ length: count }, () => ({ timestamp: 1n, key: null, value: null }));
    const bytes = buildRecordBatch(records, { codec });
    let turns = 0;
    const turn = async () => {
      turns++;
    };
    const found: bigint[] = [];
    const options = { fromOffset: BigInt(count - 1), aborted: null, pause: turn, bytesMax: 1e6 };
    for await (const { offset } of fetchedRecords(bytes, options)) found.push(offset);
    assert.deepEqual(found, [BigInt(count - 1)]);
    assert.ok(turns >= 4, `${turns} turns`);
  });
}
