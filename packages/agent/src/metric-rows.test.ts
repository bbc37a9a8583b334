import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishedMetrics } from '@weir/cluster';
import { Metrics } from '@weir/core';
import { metricRowsInCode } from '@weir/core/testing';
import { startAgentUnderTest } from '../testing/running-agent.ts';
import { agentMetricRows } from './metric-rows.ts';

const names = agentMetricRows.map(({ name }) => name);

test('no two metrics have the same name', () => {
  const all = [...names, ...publishedMetrics.map(({ name }) => name)];
  assert.equal(new Set(all).size, all.length);
});

test('every metric row in the code is listed', () => {
  const packages = join(import.meta.dirname, '../..');
  const parts = ['http', 'security', 'broker', 'gateway', 'jobs', 'agent', 'storage'];
  const places = [...parts.map((part) => `${part}/src/**/*.ts`), 'rpc/src/client/*.ts'];
  const found = metricRowsInCode(packages, places);
  assert.ok(found.length > 80, 'metric rows were found');
  assert.deepEqual(
    found.filter((name) => !names.includes(name)),
    [],
  );
});

test('all metrics of a running agent are listed, with the same kind and help', async (t) => {
  const metrics = new Metrics();
  await startAgentUnderTest(t, { metrics });
  const rows = new Map([...agentMetricRows, ...publishedMetrics].map((row) => [row.name, row]));
  const readings = metrics.read();
  assert.ok(readings.length > 20);
  for (const { row } of readings) {
    const described = rows.get(row.name) ?? assert.fail(`${row.name} is not described`);
    assert.deepEqual([row.kind, row.help], [described.kind, described.help], row.name);
  }
});
