import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanosOf, retentionOf, retentionText } from './retention.ts';

test('times in the largest unit, and back without loss', () => {
  const cases: readonly (readonly [number | bigint, string])[] = [
    [604_800_000_000_000, '7 days'],
    [3_600_000_000_000, '1 hour'],
    [90_000_000_000, '90 seconds'],
    [1, '1 nanosecond'],
    [9_007_199_254_740_993n, '9007199254740993 nanoseconds'],
  ];
  for (const [nanos, text] of cases) {
    const retention = retentionOf(nanos);
    assert.equal(retentionText(retention), text);
    assert.equal(nanosOf(retention), BigInt(nanos));
  }
});

test('what is not a valid time', () => {
  for (const count of ['', '0', '-1', '1.5', 'soon', '9223372036854775807'])
    assert.equal(nanosOf({ count, unit: 'days' }), undefined, count);
  assert.equal(nanosOf({ count: ' 2 ', unit: 'days' }), 172_800_000_000_000n);
});
