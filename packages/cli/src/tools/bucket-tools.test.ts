import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildLogFile, logFileKey } from '@weir/storage';
import { buildRecordBatch } from '@weir/wire';
import { runLine } from '../../testing/command-run.ts';
import { startFakeRegistry } from '../../testing/fake-registry.ts';

const clusterId = 'vci_test';
const topicId = Buffer.alloc(16, 7).toString('base64url');

/** A bucket with files that each have two records. */
function bucketWith(
  t: TestContext,
  fileIds: readonly string[],
  texts: readonly string[] = ['one', 'two'],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bucket-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const fileId of fileIds) {
    const records = texts.map((text) => ({
      timestamp: 1_700_000_000_000n,
      key: null,
      value: Buffer.from(text),
    }));
    const bytes = buildRecordBatch(records);
    const { slices } = buildLogFile({ clusterId, fileId, batches: [{ topicId, partition: 3, bytes }] });
    const path = join(folder, logFileKey(clusterId, fileId));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.concat(slices));
  }
  return folder;
}

const fileIdOf = (number: number) => `018bcfe568000000${String(number).padStart(16, '0')}`;

test('file-reader prints the index of a file and its records', async (t) => {
  const folder = bucketWith(t, [fileIdOf(1)]);
  const read = `cli file-reader -bucketURL file://${folder} -log-file ${fileIdOf(1)}`;
  const { status, out } = await runLine(`${read} -show-records`);
  assert.equal(status, 0);
  assert.match(out, /^service\/vci_test\/01\/018bcfe5680000000000000000000001\n {2}cluster {2}vci_test\n/);
  assert.match(out, /\nTOPIC ID +PARTITION +START +BYTES +BATCHES +RECORDS\n\S+ +3 +\d+ +\d+ +1 +2\n/);
  assert.match(out, /\n\S+ +3 +1 +2023-11-14T22:13:20.000Z +\(null\) +two\n$/);
  const json = await runLine(`${read} -show-records -output json`);
  const lines = json.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    [lines[0].level, lines[0].sections[0].recordCount, lines[1].value, lines[2].value],
    [0, 2, 'one', 'two'],
  );
  const key = logFileKey(clusterId, fileIdOf(2));
  for (const [named, problem] of [
    [fileIdOf(2), `${key}: not found`],
    ['orders', '-log-file: use an id of 32 hex digits, or a key that starts with service/'],
  ]) {
    const { status, err } = await runLine(`cli file-reader -bucketURL file://${folder} -log-file ${named}`);
    assert.deepEqual([status, err], [1, `weir cli file-reader: ${problem}\n`]);
  }
});

test('file-reader decodes records by their schemas', async (t) => {
  const folder = bucketWith(t, [fileIdOf(1)], ['one', '\0\0\0\0\x07\x02x', '\0\0\0\0\x08x']);
  const { url, sent } = await startFakeRegistry(t, {
    'GET /schemas/ids/7': { schema: '"string"' },
    'GET /schemas/ids/7/versions': [{ subject: 'orders-value', version: 1 }],
  });
  const read = `cli file-reader -bucketURL file://${folder} -log-file ${fileIdOf(1)} -show-records`;
  const decoded = `${read} -decode auto -schema-registry-url ${url} -schema-registry-username u -schema-registry-password p`;
  const { status, out, err } = await runLine(decoded);
  assert.deepEqual([status, err], [0, '']);
  assert.match(out, / one\n.* "x"\n.* \\u0000.*x \(schema 8: schema not found in the registry\)\n$/);
  assert.equal(sent[0]!.authorization, `Basic ${Buffer.from('u:p').toString('base64')}`);
  const lines = (await runLine(`${decoded} -output json`)).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.slice(1).map(({ value, valueSchema, valueProblem }) => [value, valueSchema, valueProblem]),
    [
      ['one', undefined, undefined],
      ['x', 7, undefined],
      ['\0\0\0\0\x08x', 8, 'schema not found in the registry'],
    ],
  );
  const plain = await runLine(`${read} -tls-skip-verify`);
  assert.match(plain.err, /-tls-skip-verify.* needs an https:\/\/ address in -schema-registry-url/);
});

test('file-scrubber finds damaged files, notes its progress, and continues from there', async (t) => {
  const ids = Array.from({ length: 20 }, (_, number) => fileIdOf(number));
  const folder = bucketWith(t, ids);
  const scrub = `cli file-scrubber -bucketURL file://${folder} -concurrency 1`;
  const clean = await runLine(scrub);
  assert.deepEqual(
    [clean.status, /^20 files with \d+ bytes verified, 0 damaged\n$/.test(clean.out)],
    [0, true],
  );

  const damagedKey = logFileKey(clusterId, ids[13]!);
  const path = join(folder, damagedKey);
  const bytes = readFileSync(path);
  bytes[120]! ^= 1;
  writeFileSync(path, bytes);
  const progressFile = join(folder, 'progress.json');
  const stop = new AbortController();
  // It is stopped when it has noted its progress for the first time.
  const first = await runLine(`${scrub} -progress-file ${progressFile}`, {
    stop: stop.signal,
    isErrTerminal: true,
    onErr: (text) => {
      if (text.includes('8 files')) stop.abort();
    },
  });
  assert.equal(first.status, 130);
  assert.equal(JSON.parse(readFileSync(progressFile, 'utf8')).files, 8);
  const second = await runLine(`${scrub} -progress-file ${progressFile} -output json`);
  assert.equal(second.status, 1);
  const [found, total] = second.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(found.key, damagedKey);
  assert.match(found.problem, /^log file: section: byte \d+: the batch does not match its checksum$/);
  assert.deepEqual([total.files, total.damaged, total.complete], [20, 1, true]);
  assert.ok(!readdirSync(folder).includes('progress.json'));

  writeFileSync(progressFile, 'nonsense');
  const refused = await runLine(`${scrub} -progress-file ${progressFile}`);
  assert.equal(
    refused.err,
    `weir cli file-scrubber: -progress-file ${progressFile}: not a progress file; use another\n`,
  );
});
