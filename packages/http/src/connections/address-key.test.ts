import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey } from './address-key.ts';

test('an IPv6 /64 counts as one address', () => {
  const cases: readonly [address: string, key: string][] = [
    ['10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::9', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['', ''],
  ];
  for (const [address, key] of cases) assert.equal(addressKey(address), key, address);
});
