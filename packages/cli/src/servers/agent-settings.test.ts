import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GiB, MiB } from '@weir/core';
import { parseCommandLine } from '../flags/parse.ts';
import { agentSettings, jobSettings } from './agent-settings.ts';

const parsed = parseCommandLine('agent', [], {});
assert.ok('value' in parsed);
const { values } = parsed.value;

test('flags of background jobs', () => {
  const settingsOf = (...args: readonly string[]) => {
    const read = parseCommandLine('agent', args, {});
    assert.ok('value' in read);
    return jobSettings(read.value.values, [], {
      bucketUrl: 'mem://jobs',
      environment: {},
      usesMetadataService: false,
    });
  };
  const usual = {
    slotsPerCpu: 1,
    categories: undefined,
    deletesFiles: true,
    additionalStores: [],
    mergeBucket: undefined,
  };
  assert.deepEqual(settingsOf(), usual);
  assert.deepEqual(
    settingsOf(
      '-jobsRunnerSlotsAmplification=2.5',
      '-jobSelector=metrics,deadscanner',
      '-disableFileDeletion',
    ),
    { ...usual, slotsPerCpu: 2.5, categories: ['metrics', 'deadscanner'], deletesFiles: false },
  );
  assert.ok('value' in parseCommandLine('agent', ['-additionalDeadscannerBucketURLs=mem://old'], {}));
});

for (const [value, usesFileIdRanges] of [
  ['true', true],
  ['false', false],
  [undefined, false],
] as const) {
  test(`SERVICE_USE_RANGE_FILE_ID_ALLOCATOR=${value} ${usesFileIdRanges ? 'takes' : 'takes no'} ids out of ranges`, () => {
    const read = parseCommandLine('agent', [], { SERVICE_USE_RANGE_FILE_ID_ALLOCATOR: value });
    assert.ok('value' in read);
    assert.equal(agentSettings(read.value.values, 's3://bucket').usesFileIdRanges, usesFileIdRanges);
  });
}

test('the processes of a machine together get what one agent would get', () => {
  const machine = { cpuCount: 8, memoryBytes: 32 * GiB };
  const whole = agentSettings(values, 's3://bucket', undefined, machine);
  const part = agentSettings(values, 's3://bucket', 1, machine);
  assert.equal(part.cpuCount, 1);
  assert.equal(8 * part.pageCacheBytesMax, whole.pageCacheBytesMax);
  assert.equal(8 * part.bufferedBytesMax, whole.bufferedBytesMax);
  assert.deepEqual(part.flush, whole.flush, 'a file is as large as ever');
});

test('two files of the largest size fit into the memory for them, on one core too', () => {
  const bufferedBytesMax = (cpuCount: number, ...args: readonly string[]) => {
    const read = parseCommandLine('agent', args, {});
    assert.ok('value' in read);
    const machine = { cpuCount: 8, memoryBytes: 32 * GiB };
    return agentSettings(read.value.values, 's3://bucket', cpuCount, machine).bufferedBytesMax;
  };
  assert.equal(bufferedBytesMax(1), 64 * MiB);
  assert.equal(bufferedBytesMax(1, '-batchMaxSizeBytes=128MiB'), 256 * MiB);
  assert.equal(bufferedBytesMax(1, '-batchMaxSizeBytes=8MiB'), 64 * MiB);
  assert.equal(bufferedBytesMax(8, '-batchMaxSizeBytes=128MiB'), 512 * MiB);
});

test('uploads are hedged where a second one may meet another server', () => {
  const hedged = (bucketUrl: string) => agentSettings(values, bucketUrl).hedgesUploads;
  assert.deepEqual(['s3://b', 'postgres://s/d', 'postgresql://s/d', 'sqlite:///b', 'file:///b'].map(hedged), [
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('the page cache is larger where reading again costs something, and never takes most of the memory', () => {
  const cases: [bucketUrl: string, cpuCount: number, memoryBytes: number, pageCacheBytesMax: number][] = [
    ['s3://bucket', 2, 16 * GiB, 768 * MiB],
    ['s3://bucket', 2, GiB, 256 * MiB],
    ['s3://bucket', 64, 256 * GiB, 4 * GiB],
    ['file:///bucket', 2, 16 * GiB, 64 * MiB],
    ['file:///bucket', 4, 512 * MiB, 128 * MiB],
    ['sqlite:///bucket.db', 2, 16 * GiB, 64 * MiB],
    ['postgres://server/records', 2, 16 * GiB, 768 * MiB],
    ['mem://bucket', 2, 16 * GiB, 64 * MiB],
    ['mem://bucket', 64, 256 * GiB, 64 * MiB],
    ['mem://bucket', 1, 128 * MiB, 32 * MiB],
  ];
  for (const [bucketUrl, cpuCount, memoryBytes, expected] of cases) {
    const { pageCacheBytesMax } = agentSettings(values, bucketUrl, undefined, { cpuCount, memoryBytes });
    assert.equal(pageCacheBytesMax, expected, `${bucketUrl} on ${cpuCount} cores`);
  }
});
