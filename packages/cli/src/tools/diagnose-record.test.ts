import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { FileCommit } from '@weir/cluster';
import { youngFileId } from '@weir/core/testing';
import { logFileKey } from '@weir/storage';
import { buildRecordBatch, type RecordBatchFields } from '@weir/wire';
import { BackedUpBucket } from '../../testing/backed-up-bucket.ts';
import { runLine } from '../../testing/command-run.ts';
import { startFakeRegistry } from '../../testing/fake-registry.ts';
import { startTestApi } from '../../testing/test-api.ts';

const timestamp = 1_700_000_000_000n;

function batch(texts: readonly string[], fields: RecordBatchFields = {}): Buffer {
  const records = texts.map((text, index) => ({
    timestamp,
    key: Buffer.from(`key-${text}`),
    value: Buffer.from(text),
    headers: [{ key: 'trace', value: Buffer.from([0xff, index]) }],
  }));
  return buildRecordBatch(records, fields);
}

const ten = (name: string) => Array.from({ length: 10 }, (_, index) => `${name}${index}`);

/** Two files with ten records each: offsets 0 to 19 of partition 0, the second compressed. */
async function twoFiles(t: TestContext) {
  const bucket = await BackedUpBucket.open(t);
  const topicId = await bucket.createTopic('orders', 2);
  const place = { topicId, partition: 0, recordCount: 10 };
  const first = await bucket.write(
    { ...place, bytes: batch(ten('a').slice(0, 4)), recordCount: 4 },
    { ...place, bytes: batch(ten('a').slice(4)), recordCount: 6 },
  );
  const second = await bucket.write({ ...place, bytes: batch(ten('b'), { codec: 'gzip' }) });
  await bucket.backUp();
  return { bucket, topicId, first, second };
}

async function diagnose(bucket: BackedUpBucket, offset: number | string, more = '') {
  const line = `cli diagnose-record -bucketURL file://${bucket.folder} -topic orders -partition 0 -offset ${offset}`;
  const { status, out, err } = await runLine(`${line} -output json ${more}`);
  assert.equal(err, '');
  return { status, ...JSON.parse(out) };
}

test('a record is shown with its place, its batch and itself, from the backup in the bucket', async (t) => {
  const { bucket, topicId, first, second } = await twoFiles(t);
  const { status, out } = await runLine(
    `cli diagnose-record -bucketURL file://${bucket.folder} -topic orders -partition 0 -offset 5`,
  );
  assert.equal(status, 0);
  const rows = new Map(
    out
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, 16).trimEnd(), line.slice(16)]),
  );
  assert.equal(rows.get('topic'), `orders, id ${topicId}`);
  assert.equal(rows.get('log'), 'start 0, end 20, last stable 20');
  assert.equal(rows.get('pointer'), 'offsets 0 to 9');
  assert.match(rows.get('file')!, new RegExp(`^${first}, level 0, 20`));
  assert.match(rows.get('object')!, new RegExp(`^service/vci_test/.*/${first} in file://`));
  assert.match(rows.get('metadata')!, /^of the backup of 20\d\d-/);
  assert.match(rows.get('batch')!, /^offsets 4 to 9, \d+ bytes at \d+, 6 records$/);
  assert.deepEqual(
    [
      'file checksum',
      'batch checksum',
      'compression',
      'producer',
      'transaction',
      'key',
      'value',
      'header',
      'result',
    ].map((name) => rows.get(name)),
    [
      'valid',
      'valid',
      'none',
      'none',
      'none',
      'key-a5 (6 bytes)',
      'a5 (2 bytes)',
      'trace: 0xff01 (2 bytes)',
      'readable',
    ],
  );

  const secret = await runLine(
    `cli diagnose-record -bucketURL file://${bucket.folder}?secret=hush -topic orders -partition 0 -offset 5`,
  );
  assert.match(secret.err, /: file:\/\/: unknown parameter "secret"; use prefix/);
  assert.ok(!secret.err.includes('hush'));

  const last = await diagnose(bucket, 'latest');
  assert.deepEqual(
    [last.offset, last.range.file_id, last.batch.compression, last.record.value, last.outcome],
    [19, second, 'gzip', 'b9', 'readable'],
  );
  assert.equal((await diagnose(bucket, 'earliest')).record.value, 'a0');
});

type Case = [
  what: string,
  offset: number,
  spoil: (stage: Awaited<ReturnType<typeof twoFiles>>) => unknown,
  outcome: string,
  explanation: RegExp,
];

function changed(path: string, change: (bytes: Buffer) => unknown): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

const cases: Case[] = [
  ['beyond the end', 20, () => {}, 'beyond_end', /^not readable: the log end offset is 20; not written yet$/],
  [
    'before the log start',
    3,
    async ({ bucket, topicId }) => {
      await bucket.node.deleteRecords([{ topicId, partition: 0, offset: 4 }]);
      await bucket.backUp();
    },
    'before_log_start',
    /^not readable: before the log start offset 4; deleted, or past its retention$/,
  ],
  [
    'a missing object',
    3,
    ({ bucket, first }) => rmSync(bucket.path(first)),
    'missing',
    /^not readable: the object is not in the bucket; restore it from an object version/,
  ],
  [
    'a truncated file',
    7,
    ({ bucket, first }) => truncateSync(bucket.path(first), 300),
    'damaged',
    /^not readable: the file ends at byte 300, within the range$/,
  ],
  [
    'a changed byte in the batch of the record',
    12,
    ({ bucket, second }) => changed(bucket.path(second), (bytes) => bytes.writeUInt8(bytes[130]! ^ 1, 130)),
    'damaged',
    /^not readable: the batch at byte \d+ does not match its checksum$/,
  ],
  [
    'a changed byte in an earlier batch',
    7,
    ({ bucket, first }) => changed(bucket.path(first), (bytes) => bytes.writeUInt8(bytes[130]! ^ 1, 130)),
    'damaged',
    /^not readable: the batch at byte \d+ does not match its checksum$/,
  ],
  [
    'no batch where the pointer says',
    7,
    ({ bucket, first }) => changed(bucket.path(first), (bytes) => bytes.fill(0, 20)),
    'damaged',
    /^not readable: no batch begins at byte \d+$/,
  ],
  [
    'a damaged footer alone',
    7,
    ({ bucket, first }) =>
      changed(bucket.path(first), (bytes) =>
        bytes.writeUInt8(bytes[bytes.length - 30]! ^ 1, bytes.length - 30),
      ),
    'damaged',
    /^readable, but the file is damaged elsewhere: footer: wrong checksum$/,
  ],
];

for (const [what, offset, spoil, outcome, explanation] of cases) {
  test(`why a record is not readable: ${what}`, async (t) => {
    const stage = await twoFiles(t);
    await spoil(stage);
    const found = await diagnose(stage.bucket, offset);
    assert.deepEqual([found.outcome, found.status], [outcome, 1]);
    assert.match(found.explanation, explanation);
  });
}

test('records that compaction removed are gaps: between batches, and within one', async (t) => {
  const { bucket, topicId, first, second } = await twoFiles(t);
  const kept = buildRecordBatch(
    [0, 3].map((delta) => ({
      offset: 16n + BigInt(delta),
      timestamp,
      key: null,
      value: Buffer.from(`c${delta}`),
    })),
    { baseOffset: 16n, lastOffsetDelta: 3 },
  );
  const fileId = await bucket.compact(topicId, [first, second], 20, [
    { bytes: kept, baseOffset: 16, nextOffset: 20 },
  ]);
  await bucket.backUp();
  const found = await diagnose(bucket, 19);
  assert.deepEqual(
    [found.range.file_id, found.range.level, found.outcome, found.record.value],
    [fileId, 1, 'readable', 'c3'],
  );
  for (const [offset, reason] of [
    [5, 'no batch has offsets 0 to 15 any more'],
    [17, 'its batch no longer has the record'],
  ] as const) {
    const gone = await diagnose(bucket, offset);
    assert.deepEqual(
      [gone.outcome, gone.explanation],
      ['compacted', `no record: removed by compaction; ${reason}`],
    );
  }
});

test('the state of a transaction is shown, and its end is no record', async (t) => {
  const bucket = await BackedUpBucket.open(t);
  const { node } = bucket;
  const topicId = await bucket.createTopic('orders');
  async function write(transactionalId: string, isCommit?: boolean): Promise<void> {
    const { producerId, producerEpoch } = await node.initTransactionalProducer({
      transactionalId,
      timeoutMs: 60_000,
      producerId: -1,
      producerEpoch: -1,
    });
    const fields = { isTransactional: true, producerId: BigInt(producerId), producerEpoch, baseSequence: 0 };
    const bytes = batch(['x', 'y'], fields);
    const transaction = { transactionalId, producerId };
    await bucket.write({ topicId, partition: 0, bytes, recordCount: 2, transaction });
    if (isCommit === undefined) return;
    const origin = { connection: 'one', request: 1 };
    const ended = { transactionalId, producerId, producerEpoch, origin, isCommit, bumpsEpoch: true };
    assert.equal((await node.endTransaction(ended)).error, 'NONE');
  }
  await write('one', true);
  await write('two', false);
  await write('three');
  await bucket.backUp();
  const expected: [number, string, string][] = [
    [0, 'readable', 'committed'],
    [2, 'marker', ''],
    [4, 'aborted', 'aborted'],
    [5, 'marker', ''],
    [7, 'open', 'open'],
  ];
  for (const [offset, outcome, transaction] of expected) {
    const found = await diagnose(bucket, offset);
    assert.deepEqual([offset, found.outcome, found.batch?.transaction ?? ''], [offset, outcome, transaction]);
    assert.deepEqual([found.end_offset, found.last_stable_offset], [8, 6]);
  }
  assert.equal((await diagnose(bucket, 5)).marker.result, 'abort');
});

test('the leader is asked through the API, with or without the bucket', async (t) => {
  const api = await startTestApi(t);
  const { virtual_cluster_id: clusterId } = await api.client.call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
  });
  const node = api.nodeOf(clusterId);
  const [made] = await node.createTopics([{ name: 'orders', partitionCount: 1, configs: {} }], {
    validateOnly: false,
  });
  const { topicId } = made!.topic!;
  await node.commitFiles([fileOfTen(topicId)]);
  const ask = async (more: string) => {
    const line = `cli diagnose-record -api-url ${api.url} -api-key ${api.key} -topic orders -partition 0 ${more}`;
    const { status, out } = await runLine(`${line} -output json`);
    const { metadata, topic_id, range, outcome } = JSON.parse(out);
    return [status, metadata, topic_id, range?.key ?? null, outcome];
  };
  const key = logFileKey(clusterId, youngFileId(7));
  assert.deepEqual(await ask('-offset 9'), [0, 'leader', topicId, key, 'not_read']);
  assert.deepEqual(await ask('-offset 10'), [1, 'leader', topicId, null, 'beyond_end']);
  const { folder } = await BackedUpBucket.open(t);
  assert.deepEqual(await ask(`-offset latest -bucketURL file://${folder}`), [
    1,
    'leader',
    topicId,
    key,
    'missing',
  ]);
  const { err } = await runLine(
    `cli diagnose-record -api-url ${api.url} -api-key ${api.key} -topic payments -partition 0`,
  );
  assert.equal(err, 'weir cli diagnose-record: Topic payments not found.\n');
});

/** A commit of a file that is in no bucket. */
function fileOfTen(topicId: string): FileCommit {
  return {
    fileId: youngFileId(7),
    fileBytes: 100,
    topicIds: [topicId],
    topic: Uint32Array.of(0),
    partition: Uint32Array.of(0),
    byteStart: Uint32Array.of(0),
    byteLength: Uint32Array.of(100),
    recordCount: Uint32Array.of(10),
    maxTimestampMs: Float64Array.of(1_700_000_000_000),
    producerId: Float64Array.of(-1),
    producerEpoch: Int16Array.of(-1),
    baseSequence: Int32Array.of(-1),
  };
}

test('the bytes of a record say which schema they have, and the registry whether they decode', async (t) => {
  const bucket = await BackedUpBucket.open(t);
  const topicId = await bucket.createTopic('orders');
  const guid = '0f1e2d3c-4b5a-4968-8776-000000000012';
  const header = { key: '__key_schema_id', value: Buffer.from(`01${guid.replaceAll('-', '')}`, 'hex') };
  const records: { key: Buffer | null; value: Buffer | null; headers?: (typeof header)[] }[] = [
    { key: Buffer.from('{"id":1}'), value: Buffer.from('00000000070278', 'hex'), headers: [header] },
    { key: Buffer.from('k'), value: Buffer.from('000000000779', 'hex') },
    { key: null, value: Buffer.from('000000000878', 'hex') },
  ];
  const bytes = buildRecordBatch(records.map((record) => ({ timestamp, headers: [], ...record })));
  await bucket.write({ topicId, partition: 0, recordCount: records.length, bytes });
  await bucket.backUp();
  const { url } = await startFakeRegistry(t, {
    'GET /schemas/ids/7': { schema: '"string"' },
    'GET /schemas/ids/7/versions': [
      { subject: 'orders-value', version: 1 },
      { subject: 'texts', version: 1 },
    ],
    [`GET /schemas/guids/${guid}`]: { schema: '{"title":"Key"}', schemaType: 'JSON' },
    [`GET /schemas/guids/${guid}/ids`]: [{ context: '.', id: 9 }],
    'GET /schemas/ids/9/versions': [{ subject: 'orders-key', version: 1 }],
  });
  const at = `cli diagnose-record -bucketURL file://${bucket.folder} -topic orders -partition 0`;
  const schemaLines = async (offset: number, more = '') => {
    const { status, out } = await runLine(`${at} -offset ${offset} ${more}`);
    assert.equal(status, 0);
    return out.split('\n').filter((line) => / (?:schema|decoded) /.test(line));
  };
  const decode = `-decode auto -schema-registry-url ${url}`;
  assert.deepEqual(await schemaLines(0), [
    `key schema      GUID ${guid} after the magic byte 1 in the header __key_schema_id; set -decode auto to look it up`,
    'value schema    id 7 after the magic byte 0 at its beginning; set -decode auto to look it up',
  ]);
  assert.deepEqual(await schemaLines(0, decode), [
    `key schema      GUID ${guid} after the magic byte 1 in the header __key_schema_id; JSON, subject orders-key; decodes as Key`,
    'key decoded     {"id":1}',
    'value schema    id 7 after the magic byte 0 at its beginning; AVRO, subjects orders-value, texts; decodes',
    'value decoded   "x"',
  ]);
  assert.deepEqual(await schemaLines(1, decode), [
    'key schema      none: starts with 0x6b, not with a magic byte and a schema id or GUID',
    'value schema    id 7 after the magic byte 0 at its beginning; AVRO, subjects orders-value, texts; failed to decode: a length is negative',
  ]);
  assert.deepEqual(await schemaLines(2, decode), [
    'value schema    id 8 after the magic byte 0 at its beginning; failed to decode: schema not found in the registry',
  ]);
  const { record } = await diagnose(bucket, 0, decode);
  assert.deepEqual(record.key_schema, {
    guid,
    magic_byte: 1,
    header: '__key_schema_id',
    type: 'JSON',
    subjects: ['orders-key'],
    record_name: 'Key',
    decoded: { id: 1 },
    problem: null,
  });
  const failed = (await diagnose(bucket, 1, decode)).record;
  assert.equal(failed.key_schema, null);
  assert.deepEqual(failed.value_schema, {
    id: 7,
    magic_byte: 0,
    header: null,
    type: 'AVRO',
    subjects: ['orders-value', 'texts'],
    record_name: null,
    decoded: null,
    problem: 'a length is negative',
  });
});

test('what is missing is one line', async (t) => {
  const { bucket } = await twoFiles(t);
  const at = `-bucketURL file://${bucket.folder}`;
  for (const [line, problem] of [
    ['-topic orders -partition 0', '-api-url is required, or -bucket-url'],
    [`${at} -topic orders`, '-partition is required'],
    [`${at} -topic payments -partition 0`, 'partition 0 of topic payments not found in the backup'],
    [`${at} -topic orders -partition 7`, 'partition 7 of topic orders not found in the backup'],
  ] as const) {
    const { status, err } = await runLine(`cli diagnose-record ${line}`);
    assert.notEqual(status, 0);
    assert.ok(err.includes(problem), err);
    assert.equal(err.trimEnd().split('\n').length, 1);
  }
});
