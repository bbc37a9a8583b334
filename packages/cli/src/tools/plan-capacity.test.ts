import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityFor, type Demand, exampleDemand } from '@weir/api/capacity';
import { priceLists } from '@weir/api/storage-costs';
import { runArguments } from '../../testing/command-run.ts';

const prices = priceLists.s3.prices;
const plan = (...words: readonly string[]) => runArguments(['cli', 'plan-capacity', ...words]);
const MB = 1e6;

test('a load is planned without an API, as a table and as JSON', async () => {
  const load = [
    '-write-rate',
    '50MB',
    '-retention',
    '7d',
    '-written-partitions',
    '600',
    '-consumer-groups',
    '2',
  ];
  const shown = await plan(...load);
  assert.equal(shown.status, 0, shown.err);
  assert.match(
    shown.out,
    /^47\.7 MiB\/s to 600 partitions in batches of 31\.3 KiB, kept for 7d, read by 2 groups/,
  );
  assert.match(shown.out, /^agents +3, with a core each +\d+ % of a core, at most 60 %$/m);
  const { out } = await plan(...load, '-output', 'json', '-prices', 'put=0,get=0');
  const json = JSON.parse(out);
  assert.equal(json.agents, 3);
  assert.equal(json.stored_bytes, 50 * MB * 7 * 86_400);
  assert.equal(json.requests_month, 0);
  assert.deepEqual(json.limits, []);
});

test('mistakes are one line', async () => {
  assert.match((await plan()).err, /-write-rate is required/);
  assert.match((await plan('-write-rate', '1MB', '-prices', 'puts=1')).err, /unknown price puts/);
});

test('more load needs more agents, and a cluster that is full is named', () => {
  const small = capacityFor(exampleDemand, prices);
  assert.equal(small.agents, 3);
  assert.deepEqual(small.limits, []);
  const demand = (changes: Partial<Demand>) => capacityFor({ ...exampleDemand, ...changes }, prices);
  const large = demand({ bytesPerSecond: 1_000 * MB, partitions: 2_000 });
  assert.ok(large.agents > 10 && large.agentShare <= 0.6, `${large.agents}`);
  assert.ok(demand({ bytesPerSecond: 1_000 * MB, partitions: 2_000, groups: 6 }).agents > large.agents);
  const smallBatches = demand({ bytesPerSecond: 1_000 * MB, partitions: 2_000, batchBytes: 1_000 });
  assert.match(smallBatches.limits.join(), /leader is full/);
});

test('files are written as agents write them', () => {
  // bytes per second of each of three agents, files per second of each
  const cases: [bytesPerSecond: number, filesPerSecond: number][] = [
    // The window of 250 ms.
    [1 * MB, 4],
    // Measured over S3 of 8 ms at 28 MB/s by three agents: 27 files a second.
    [9.3 * MB, 8.9],
  ];
  for (const [rate, files] of cases) {
    const { agents, outlook } = capacityFor({ ...exampleDemand, bytesPerSecond: 3 * rate }, prices);
    assert.equal(agents, 3);
    assert.ok(Math.abs(outlook.filesPerSecond / 3 - files) < 0.1, `${outlook.filesPerSecond / 3} at ${rate}`);
  }
});
