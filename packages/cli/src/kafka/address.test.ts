import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress } from './address.ts';

test('a host may include its port, and an IPv6 address is not mistaken for one', () => {
  assert.deepEqual(readAddress('broker-1', 9092), { host: 'broker-1', port: 9092 });
  assert.deepEqual(readAddress('broker-1:9193', 9092), { host: 'broker-1', port: 9193 });
  assert.deepEqual(readAddress('::1', 9092), { host: '::1', port: 9092 });
  assert.deepEqual(readAddress('fe80::1:9093', 9092), { host: 'fe80::1:9093', port: 9092 });
  assert.deepEqual(readAddress('[::1]:9193', 9092), { host: '::1', port: 9193 });
  assert.deepEqual(readAddress('[::1]', 9092), { host: '::1', port: 9092 });
});

test('an invalid port is rejected', () => {
  for (const text of ['broker-1:0', 'broker-1:65536', '[::1]:123456'])
    assert.equal(readAddress(text, 9092), undefined, text);
});
