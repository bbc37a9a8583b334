import assert from 'node:assert/strict';
import type { lookup as systemLookup } from 'node:dns';
import { type TestContext, test } from 'node:test';
import { addressIn, guardedLookup, isPublicAddress } from '@weir/cluster/outbound';
import { systemClock } from '@weir/core';
import fc from 'fast-check';
import { startTestIssuer } from '../testing/test-issuer.ts';
import { fetchJsonOver } from './fetch-json.ts';

test('public addresses are recognized', () => {
  // biome-ignore format: a table
  const cases: readonly [address: string, isPublic: boolean][] = [
    ['8.8.8.8',               true],
    ['1.1.1.1',               true],
    ['172.15.0.1',            true],
    ['172.32.0.1',            true],
    ['0.0.0.0',               false],
    ['10.1.2.3',              false],
    ['100.64.0.1',            false],
    ['127.0.0.1',             false],
    ['127.8.8.8',             false],
    ['169.254.169.254',       false],
    ['172.16.0.1',            false],
    ['172.31.255.255',        false],
    ['192.168.0.1',           false],
    ['198.18.0.1',            false],
    ['203.0.113.7',           false],
    ['224.0.0.1',             false],
    ['255.255.255.255',       false],
    ['2606:4700::1111',       true],
    ['2a00:1450:4001::1',     true],
    ['::',                    false],
    ['::1',                   false],
    ['::ffff:10.0.0.1',       false],
    ['::ffff:8.8.8.8',        false],
    ['64:ff9b::a00:1',        false],
    ['fc00::1',               false],
    ['fd00:ec2::254',         false],
    ['fe80::1',               false],
    ['fe80::1%eth0',          false],
    ['ff02::1',               false],
    ['2001::1',               false],
    ['2001:db8::1',           false],
    ['2002:a00:1::1',         false],
    ['id.example',            false],
    ['',                      false],
  ];
  for (const [address, isPublic] of cases) assert.equal(isPublicAddress(address), isPublic, address);
});

test('no notation makes a private IPv4 address public', () => {
  fc.assert(
    fc.property(fc.constantFrom(10, 127), fc.nat(0xffffff), (first, rest) => {
      const number = first * 0x1000000 + rest;
      const dotted = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
      const spellings = [
        dotted.join('.'),
        String(number),
        `0x${number.toString(16)}`,
        `0${number.toString(8)}`,
        `${dotted[0]}.${number & 0xffffff}`,
        dotted.map((part) => `0x${part.toString(16)}`).join('.'),
        `[::ffff:${dotted.join('.')}]`,
      ];
      for (const spelling of spellings) {
        const address = addressIn(`https://${spelling}/`);
        assert.ok(address !== undefined && !isPublicAddress(address), spelling);
      }
    }),
  );
});

function resolvesTo(...addresses: string[]): typeof systemLookup {
  const lookup = (_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return lookup as unknown as typeof systemLookup;
}

test('a name is allowed if its addresses are', () => {
  // biome-ignore format: a table
  const cases: readonly [addresses: string[], given: string[] | 'refused'][] = [
    [['8.8.8.8'],                         ['8.8.8.8']],
    [['8.8.8.8', '10.0.0.1', '::1'],      ['8.8.8.8']],
    [['10.0.0.1', '2606:4700::1111'],     ['2606:4700::1111']],
    [['169.254.169.254'],                 'refused'],
    [[],                                  'refused'],
  ];
  for (const [addresses, given] of cases) {
    const lookup = guardedLookup(isPublicAddress, resolvesTo(...addresses));
    lookup('id.example', { all: true }, (error, found) => {
      if (given === 'refused') assert.match(String(error), /id\.example is not on the public internet/);
      else
        assert.deepEqual(
          (found as { address: string }[]).map(({ address }) => address),
          given,
        );
    });
    lookup('id.example', {}, (error, address) => {
      assert.equal(error === null ? address : 'refused', given === 'refused' ? 'refused' : given[0]);
    });
  }
});

async function fetchKeys(t: TestContext, hostname: string, isAllowed: boolean) {
  const issuer = await startTestIssuer(t, () => systemClock.nowMs());
  const url = new URL(issuer.url + issuer.keysPath.replace('/realm', ''));
  url.hostname = hostname;
  const checked: string[] = [];
  const allowedAddress = (address: string) => {
    checked.push(address);
    return isAllowed;
  };
  const { signal } = new AbortController();
  const answer = fetchJsonOver(systemClock, { allowedAddress })(url.href, signal);
  const outcome = await answer.then(
    () => 'answered',
    (error: Error) => error.message,
  );
  return { outcome, checked, requested: issuer.asked };
}

for (const hostname of ['127.0.0.1', 'localhost']) {
  test(`a connection to ${hostname} is made if its address is allowed`, async (t) => {
    const { outcome, checked } = await fetchKeys(t, hostname, true);
    assert.equal(outcome, 'answered');
    assert.ok(checked.includes('127.0.0.1'));
  });

  test(`no connection to ${hostname} is made otherwise`, async (t) => {
    const { outcome, requested } = await fetchKeys(t, hostname, false);
    assert.match(outcome, /is not on the public internet/);
    assert.deepEqual(requested, []);
  });
}
