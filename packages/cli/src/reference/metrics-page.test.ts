import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { metricsPage } from './metrics-page.ts';

test('docs/reference/metrics.md matches the rows', () => {
  const onDisk = readFileSync(join(import.meta.dirname, '../../../../docs/reference/metrics.md'), 'utf8');
  assert.equal(onDisk, metricsPage(), 'run npm run docs');
});

test('every metric is listed once', () => {
  const names = [...metricsPage().matchAll(/^\| `([a-z0-9_]+)` \| (?:counter|gauge|histogram) \|/gm)].map(
    ([, name]) => name,
  );
  assert.ok(names.length > 80);
  assert.equal(new Set(names).size, names.length);
});
