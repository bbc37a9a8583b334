import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AdvertisedHost, advertisedHost, type HostStrategy, spelledFor } from './advertised-host.ts';
import { claimedNodeId } from './node-id.ts';

/** `lo` in front marks a loopback address. */
function machine(...addresses: string[]) {
  return {
    hostname: 'pod-1',
    addresses: addresses.map((text) => ({
      address: text.replace('lo ', ''),
      family: text.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
      internal: text.startsWith('lo '),
    })),
  };
}

test('the advertised host', () => {
  const cases: [HostStrategy, string[], host: string | undefined][] = [
    ['hostname', [], 'pod-1'],
    ['auto-ip4', ['lo 127.0.0.1', '10.1.2.3'], '10.1.2.3'],
    ['auto-ip4', ['52.1.2.3', '192.168.1.1', '10.0.0.1'], '192.168.1.1'],
    ['auto-ip4', ['172.15.0.1', '172.16.0.1'], '172.16.0.1'],
    ['auto-ip4', ['172.32.0.1', '172.31.255.1'], '172.31.255.1'],
    ['auto-ip4', ['192.169.0.1', '11.0.0.1'], undefined],
    ['auto-ip4', ['lo 127.0.0.1', 'fd00::1'], undefined],
    ['auto-ip6', ['fe80::1', '2001:db8::1', 'fd00::1'], 'fd00::1'],
    ['auto-ip6', ['fe80::1', '2001:db8::1'], '2001:db8::1'],
    ['auto-ip6', ['lo ::1', 'fe80::1', '10.0.0.1'], undefined],
  ];
  for (const [strategy, addresses, host] of cases) {
    const result: AdvertisedHost = advertisedHost(strategy, machine(...addresses));
    assert.equal('host' in result ? result.host : undefined, host, `${strategy} ${addresses.join(' ')}`);
    if ('problem' in result) assert.match(result.problem, new RegExp(`^${strategy}: `));
  }
});

test('spellings are the same name, stable, and different between agents', () => {
  fc.assert(
    fc.property(fc.domain(), fc.string(), (host, agentId) => {
      const spelled = spelledFor(host, claimedNodeId(agentId));
      assert.equal(spelled.toLowerCase(), host.toLowerCase());
      assert.equal(spelledFor(host, claimedNodeId(agentId)), spelled);
    }),
  );
  const spellings = Array.from({ length: 100 }, (_, index) =>
    spelledFor('kafka.internal.example.com', claimedNodeId(`agent-${index}`)),
  );
  assert.ok(new Set(spellings).size > 95);
  assert.equal(spelledFor('10.0.0.1', 12345), '10.0.0.1');
});

test('node ids are positive and large', () => {
  fc.assert(
    fc.property(fc.string(), (agentId) => {
      const nodeId = claimedNodeId(agentId);
      assert.ok(Number.isInteger(nodeId) && nodeId > 1_000_000 && nodeId <= 0x7fff_ffff);
    }),
  );
});
