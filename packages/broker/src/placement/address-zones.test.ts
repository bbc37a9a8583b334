import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { zonesByAddress } from './address-zones.ts';

const zoneOf = zonesByAddress([
  { zone: 'a', cidrs: ['10.0.0.0/16', '10.9.0.0/16', 'fd00:a::/32'] },
  { zone: 'b', cidrs: ['10.0.128.0/17', '192.168.1.7/32', 'fd00:b::/32'] },
  { zone: 'c', cidrs: ['10.0.0.0/8', '::ffff:172.16.0.0/108', 'fd00:a:c::/48'] },
  { zone: 'd', cidrs: ['10.0.0.0/16', '2001:db8::1/128'] },
]);

test('the zone of an address', () => {
  const cases: [address: string, zone: string | undefined][] = [
    ['10.0.0.1', 'a'],
    ['10.9.255.255', 'a'],
    // The narrowest block wins, in any order.
    ['10.0.128.0', 'b'],
    ['10.0.127.255', 'a'],
    ['10.1.0.1', 'c'],
    ['11.0.0.1', undefined],
    ['192.168.1.7', 'b'],
    ['192.168.1.8', undefined],
    // IPv4-mapped IPv6, in the address and in the block.
    ['::ffff:10.0.200.1', 'b'],
    ['::FFFF:10.0.0.1', 'a'],
    ['172.16.0.1', 'c'],
    ['172.31.255.255', 'c'],
    ['172.32.0.1', undefined],
    ['fd00:a::1', 'a'],
    ['fd00:a:c::1', 'c'],
    ['fd00:b:1:2:3:4:5:6', 'b'],
    ['fd00:c::1', undefined],
    ['2001:db8::1', 'd'],
    ['2001:db8::2', undefined],
    ['fd00:a::1%eth0', 'a'],
    ['', undefined],
    ['localhost', undefined],
  ];
  for (const [address, zone] of cases) assert.equal(zoneOf(address), zone, address);
});

test('a block of one family contains no address of the other', () => {
  const everySix = zonesByAddress([{ zone: 'six', cidrs: ['::/0'] }]);
  const everyFour = zonesByAddress([{ zone: 'four', cidrs: ['0.0.0.0/0'] }]);
  for (const [address, six, four] of [
    ['10.0.0.1', undefined, 'four'],
    ['::ffff:10.0.0.1', undefined, 'four'],
    ['fd00::1', 'six', undefined],
  ] as const) {
    assert.equal(everySix(address), six, address);
    assert.equal(everyFour(address), four, address);
  }
});

test('the narrowest block around an address decides its zone', () => {
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.uniqueArray(fc.integer({ min: 0, max: 32 }), { minLength: 1 }),
      (address, bits) => {
        const zones = bits.map((prefix) => ({ zone: `z${prefix}`, cidrs: [`${address}/${prefix}`] }));
        assert.equal(zonesByAddress(zones)(address), `z${Math.max(...bits)}`);
        assert.equal(zonesByAddress(zones)(`::ffff:${address}`), `z${Math.max(...bits)}`);
      },
    ),
  );
});

test('an invalid block is refused', () => {
  for (const cidr of [
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    'x/8',
    '10.0.0.0/',
    '/8',
    '::ffff:10.0.0.0/129',
  ]) {
    assert.throws(() => zonesByAddress([{ zone: 'a', cidrs: [cidr] }]), /is not a CIDR such as/, cidr);
  }
});
