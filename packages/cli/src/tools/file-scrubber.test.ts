import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { buildRecordBatch } from '@weir/wire';
import { BackedUpBucket } from '../../testing/backed-up-bucket.ts';
import { runLine } from '../../testing/command-run.ts';

const timestamp = 1_700_000_000_000n;

function batch(recordCount: number, baseOffset = 0n): Buffer {
  const records = Array.from({ length: recordCount }, (_, index) => ({
    timestamp,
    key: null,
    value: Buffer.from(`value ${index}`),
  }));
  return buildRecordBatch(records, { baseOffset });
}

/** Twelve files, each with a section for both partitions of a topic; partition 0 has two batches in each. */
async function twelveFiles(t: TestContext) {
  const bucket = await BackedUpBucket.open(t);
  const topicId = await bucket.createTopic('orders', 2);
  const fileIds: string[] = [];
  for (let number = 0; number < 12; number++) {
    bucket.nextFolder = `0${number.toString(16)}`;
    fileIds.push(
      await bucket.write(
        { topicId, partition: 0, bytes: batch(3), recordCount: 3 },
        { topicId, partition: 1, bytes: batch(5), recordCount: 5 },
        { topicId, partition: 0, bytes: batch(4), recordCount: 4 },
      ),
    );
  }
  bucket.nextFolder = undefined;
  await bucket.backUp();
  return { bucket, topicId, fileIds };
}

async function scrub({ folder }: BackedUpBucket, more = '') {
  const { status, out, err } = await runLine(
    `cli file-scrubber -bucketURL file://${folder} -output json ${more}`,
  );
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const total = lines.pop();
  const findings = lines.map(({ key, kind, problem }) => [key.slice(-32), kind, problem] as const);
  return { status, err, total, findings };
}

const modes = ['', '-checksums=false'];

for (const mode of modes) {
  test(`files that are as the metadata says are in order ${mode}`, async (t) => {
    const { bucket, topicId, fileIds } = await twelveFiles(t);
    const { status, total, findings, err } = await scrub(bucket, mode);
    assert.deepEqual([status, findings, err], [0, [], '']);
    const { files, damaged, missing, mismatched, orphans, dead, complete } = total;
    assert.deepEqual(
      [files, damaged, missing, mismatched, orphans, dead, complete],
      [12, 0, 0, 0, 0, 0, true],
    );

    // Some of them become one of level 1, with a gap before its first batch.
    const merged = await bucket.compact(topicId, fileIds.slice(0, 2), 14, [
      { bytes: batch(4, 3n), baseOffset: 3, nextOffset: 7 },
      { bytes: batch(7, 7n), baseOffset: 7, nextOffset: 14 },
    ]);
    await bucket.node.deleteRecords([{ topicId, partition: 1, offset: 10 }]);
    await bucket.backUp();
    const again = await scrub(bucket, mode);
    assert.deepEqual([again.status, again.findings], [0, []]);
    assert.deepEqual([again.total.files, again.total.dead], [13, 2], merged);
    const { out } = await runLine(`cli file-scrubber -bucketURL file://${bucket.folder} ${mode}`);
    assert.match(
      out,
      /^13 files with \d+ bytes verified, 0 damaged, 0 missing, 0 mismatched with the metadata of 20\S+Z; 0 orphans with 0 bytes, 2 dead\n$/,
    );
  });
}

type Stage = Awaited<ReturnType<typeof twelveFiles>>;
type Fault = [
  what: string,
  spoil: (stage: Stage, path: string) => unknown,
  kind: string,
  inFull: RegExp,
  /** Without checksums; `undefined` if it is not found then. */
  byFooter: RegExp | undefined,
];

const faults: Fault[] = [
  [
    'a missing file',
    (_, path) => rmSync(path),
    'missing',
    /^missing; the metadata of 20\S+Z refers to it, such as orders-[01], offsets \d+ to \d+$/,
    /^missing; the metadata of 20\S+Z refers to it/,
  ],
  [
    'a truncated file',
    (_, path) => truncateSync(path, 200),
    'damaged',
    /^log file: trailer: .*; it has 200 bytes, and metadata says \d+$/,
    /^log file: trailer: .*; it has 200 bytes, and metadata says \d+$/,
  ],
  [
    'a longer file',
    (_, path) => appendFileSync(path, 'x'),
    'damaged',
    /^log file: trailer: .*; it has \d+ bytes, and metadata says \d+$/,
    /^log file: trailer: /,
  ],
  [
    'a changed record',
    (_, path) => flip(path, 130),
    'damaged',
    /^log file: section: byte \d+: the batch does not match its checksum$/,
    undefined,
  ],
  [
    'another file of the cluster under this key',
    ({ bucket, fileIds }, path) => writeFileSync(path, readFileSync(bucket.path(fileIds[7]!))),
    'damaged',
    /^log file: header: it is the file service\/vci_test\//,
    /^log file: header: it is the file service\/vci_test\//,
  ],
];

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes[at]! ^ 1, at);
  writeFileSync(path, bytes);
}

for (const [what, spoil, kind, inFull, byFooter] of faults) {
  test(`a scrub finds ${what}`, async (t) => {
    const stage = await twelveFiles(t);
    const { bucket, fileIds } = stage;
    spoil(stage, bucket.path(fileIds[4]!));
    for (const [mode, problem] of [
      ['', inFull],
      ['-checksums=false', byFooter],
    ] as const) {
      const { status, findings } = await scrub(bucket, mode);
      assert.deepEqual([mode, status, findings.length], [mode, problem ? 1 : 0, problem ? 1 : 0]);
      if (problem === undefined) continue;
      assert.deepEqual(findings[0]!.slice(0, 2), [fileIds[4], kind]);
      assert.match(findings[0]![2], problem);
    }
    const alone = await scrub(bucket, '-metadata=false');
    assert.equal(alone.status, kind === 'missing' ? 0 : 1, 'without metadata');
  });
}

test('pointers that do not fit their file are found', async (t) => {
  const bucket = await BackedUpBucket.open(t);
  const topicId = await bucket.createTopic('orders');
  const bytes = batch(3);
  const cases: [
    byteShift: number,
    byteMore: number,
    recordsMore: number,
    inFull: RegExp,
    byFooter: RegExp,
  ][] = [
    [1, 0, 0, /: no batch begins at byte \d+$/, /: it ends at byte \d+, and its section at \d+$/],
    [0, -1, 0, /: it ends within the batch at byte \d+$/, /: no batch begins at byte \d+$/],
    [0, 0, 2, /: its batches end before offset \d+$/, /: its section has 3 records$/],
    [0, 0, -2, /: the batch at byte \d+ has offsets \d+ to \d+$/, /: its section has 3 records$/],
    [0, 40, 0, /: it ends at byte \d+, after all batches$/, /: it ends at byte \d+, and its section at \d+$/],
    [bytes.length, 20 - bytes.length, 0, /: no batch begins at byte \d+$/, /: no batch begins at byte \d+$/],
  ];
  const fileIds: string[] = [];
  for (const [byteShift, byteMore, recordsMore] of cases) {
    const { fileId, fileBytes, placed } = bucket.upload([{ topicId, partition: 0, bytes, recordCount: 3 }]);
    fileIds.push(fileId);
    await bucket.node.commitFiles([
      {
        fileId,
        fileBytes,
        topicIds: [topicId],
        topic: Uint32Array.of(0),
        partition: Uint32Array.of(0),
        byteStart: Uint32Array.of(placed.byteStart[0]! + byteShift),
        byteLength: Uint32Array.of(bytes.length + byteMore),
        recordCount: Uint32Array.of(3 + recordsMore),
        maxTimestampMs: Float64Array.of(0),
        producerId: Float64Array.of(-1),
        producerEpoch: Int16Array.of(-1),
        baseSequence: Int32Array.of(-1),
      },
    ]);
  }
  await bucket.backUp();
  for (const mode of modes) {
    const { status, findings, total } = await scrub(bucket, mode);
    assert.deepEqual([status, total.mismatched, total.damaged], [1, cases.length, 0]);
    for (const [index, [, , , inFull, byFooter]] of cases.entries()) {
      const [, kind, problem] = findings.find(([fileId]) => fileId === fileIds[index])!;
      assert.equal(kind, 'mismatched');
      assert.match(problem, /^orders-0, offsets \d+ to \d+: /);
      assert.match(problem, mode === '' ? inFull : byFooter);
    }
  }
});

test('orphans are reported with their age, young files and dead ones are not faults', async (t) => {
  const { bucket, topicId } = await twelveFiles(t);
  const uploaded = [3, 2, 1].map(() =>
    bucket.upload([{ topicId, partition: 0, bytes: batch(1), recordCount: 1 }]),
  );
  const [old, older] = uploaded as [(typeof uploaded)[0], (typeof uploaded)[0]];
  const nowMs = systemClock.nowMs();
  for (const [{ fileId }, hours] of [
    [old, 7],
    [older, 50],
  ] as const)
    utimesSync(bucket.path(fileId), nowMs / 1000, (nowMs - hours * 3_600_000) / 1000);
  const { status, total, findings } = await scrub(bucket);
  assert.equal(status, 0);
  assert.deepEqual(
    [total.files, total.orphans, total.orphan_bytes],
    [15, 2, old.fileBytes + older.fileBytes],
  );
  assert.deepEqual(
    new Map(findings.map(([fileId, kind, problem]) => [fileId, `${kind}: ${problem}`])),
    new Map([
      [old.fileId, `orphan: orphan of ${old.fileBytes}, 7h old`],
      [older.fileId, `orphan: orphan of ${older.fileBytes}, 50h old`],
    ]),
  );
});

const since: [what: string, change: (stage: Stage, late: Uploaded) => Promise<() => void>][] = [
  [
    'deleted',
    async ({ bucket, topicId, fileIds }) => {
      await bucket.node.deleteRecords([0, 1].map((partition) => ({ topicId, partition, offset: -1 })));
      return () => fileIds.slice(8).forEach((fileId) => void rmSync(bucket.path(fileId)));
    },
  ],
  [
    'committed',
    async ({ bucket, topicId }, { fileId, fileBytes, placed }) => {
      await bucket.node.commitFiles([
        {
          fileId,
          fileBytes,
          topicIds: [topicId],
          topic: Uint32Array.of(0),
          partition: Uint32Array.of(0),
          byteStart: Uint32Array.of(placed.byteStart[0]!),
          byteLength: Uint32Array.of(batch(3).length),
          recordCount: Uint32Array.of(3),
          maxTimestampMs: Float64Array.of(0),
          producerId: Float64Array.of(-1),
          producerEpoch: Int16Array.of(-1),
          baseSequence: Int32Array.of(-1),
        },
      ]);
      return () => {};
    },
  ],
];

type Uploaded = ReturnType<BackedUpBucket['upload']>;

for (const [what, change] of since) {
  test(`a file that was ${what} since the metadata was read is no fault`, async (t) => {
    const stage = await twelveFiles(t);
    const { bucket, topicId } = stage;
    bucket.nextFolder = 'ff';
    const late = bucket.upload([{ topicId, partition: 0, bytes: batch(3), recordCount: 3 }]);
    if (what === 'committed') utimesSync(bucket.path(late.fileId), 0, 0);
    const changeBucket = await change(stage, late);
    const { key, content } = await bucket.backup();
    let isChanged = false;
    const { status, out } = await runLine(
      `cli file-scrubber -bucketURL file://${bucket.folder} -concurrency 1`,
      {
        isErrTerminal: true,
        onErr: (text) => {
          if (isChanged || !text.includes('8 files')) return;
          isChanged = true;
          changeBucket();
          writeFileSync(join(bucket.folder, key), content);
        },
      },
    );
    assert.ok(isChanged);
    assert.equal(status, 0);
    assert.match(out, / verified, 0 damaged, 0 missing, 0 mismatched .* 0 orphans with 0 bytes, 0 dead\n$/);
  });
}

test('a scrub that was stopped continues behind its last file, and finds what is missing once', async (t) => {
  const { bucket, fileIds } = await twelveFiles(t);
  for (const number of [3, 10]) rmSync(bucket.path(fileIds[number]!));
  const progressFile = join(bucket.folder, 'progress.json');
  const command = `cli file-scrubber -bucketURL file://${bucket.folder} -concurrency 1 -progress-file ${progressFile}`;
  const stop = new AbortController();
  const first = await runLine(command, {
    stop: stop.signal,
    isErrTerminal: true,
    onErr: (text) => {
      if (text.includes(' files')) stop.abort();
    },
  });
  assert.equal(first.status, 130);
  assert.ok(first.out.includes(`${fileIds[3]}: missing`));
  const second = await runLine(command);
  assert.equal(second.status, 1);
  assert.ok(!second.out.includes(`${fileIds[3]}: missing`) && second.out.includes(`${fileIds[10]}: missing`));
  assert.match(second.out, /10 files with \d+ bytes verified, 0 damaged, 2 missing, /);
});
