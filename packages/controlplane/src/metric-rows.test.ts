import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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
  const found = places
    .flatMap((place) => globSync(place, { cwd: packages }))
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(packages, path), 'utf8');
      return [...text.matchAll(/name: '(\w+)',\s+kind: '(?:counter|gauge|histogram)'/g)].map(
        ([, name]) => name!,
      );
    });
  assert.ok(found.length > 20, 'metric rows were found');
  const listed = [...names, ...hostedMetricRows.map(({ name }) => name)];
  assert.deepEqual(
    found.filter((name) => !listed.includes(name)),
    [],
  );
});
