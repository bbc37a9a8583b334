import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { metricRowsInCode } from '@weir/core/testing';
import { hostedMetricRows } from './hosted-metrics/metric-rows.ts';
import { controlPlaneMetricRows } from './metric-rows.ts';

const names = controlPlaneMetricRows.map(({ name }) => name);

test('no two metrics have the same name', () => {
  const all = [...names, ...hostedMetricRows.map(({ name }) => name)];
  assert.equal(new Set(all).size, all.length);
});

test('every metric row in the code is listed', () => {
  const packages = join(import.meta.dirname, '../..');
  const places = ['controlplane/src/**/*.ts', 'metadata/src/**/*.ts', 'rpc/src/server/*.ts'];
  const found = metricRowsInCode(packages, places);
  assert.ok(found.length > 20, 'metric rows were found');
  const listed = [...names, ...hostedMetricRows.map(({ name }) => name)];
  assert.deepEqual(
    found.filter((name) => !listed.includes(name)),
    [],
  );
});
