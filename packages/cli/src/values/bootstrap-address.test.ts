import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BootstrapAddress, bootstrapAddress } from './bootstrap-address.ts';

const type = bootstrapAddress();

test('a host may include its port, and an IPv6 address is not mistaken for one', () => {
  const cases: readonly [text: string, address: BootstrapAddress, printed?: string][] = [
    ['broker-1', { host: 'broker-1' }],
    ['broker-1:9193', { host: 'broker-1', port: 9193 }],
    ['10.0.0.7:1', { host: '10.0.0.7', port: 1 }],
    ['::1', { host: '::1' }],
    ['fe80::1:9093', { host: 'fe80::1:9093' }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
    ['[::1]', { host: '::1' }, '::1'],
  ];
  for (const [text, value, printed = text] of cases) {
    assert.deepEqual(type.parse(text), { value }, text);
    assert.equal(type.print(value), printed);
  }
});

test('what is no address is rejected, and says what is wrong', () => {
  for (const text of ['broker-1:0', 'broker-1:65536', '[::1]:123456', 'broker-1:', 'broker-1:9092x', 'b:-1'])
    assert.deepEqual(type.parse(text), { problem: 'the port behind the host is not from 1 to 65535' }, text);
  for (const text of ['[broker-1]:1', '[]:1', ':9092', 'http://a:1', 'a b', 'a:1:2', '[::1]9092', '::1::2']) {
    const parsed = type.parse(text);
    assert.ok('problem' in parsed, text);
  }
});
