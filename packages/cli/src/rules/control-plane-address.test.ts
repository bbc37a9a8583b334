import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveControlPlaneAddress } from './control-plane-address.ts';

test('the region goes before the address', () => {
  const url = 'https://control.example.org';
  const cases: readonly [
    region: string | undefined,
    url: string | undefined,
    zonal: boolean,
    expected: object,
  ][] = [
    ['us-east-1', undefined, true, { value: { kind: 'zonal', region: 'us-east-1' } }],
    ['us-east-1', undefined, false, { value: { kind: 'regional', region: 'us-east-1' } }],
    ['us-east-1', url, true, { value: { kind: 'zonal', region: 'us-east-1' } }],
    [undefined, url, true, { value: { kind: 'url', url } }],
    [undefined, url, false, { value: { kind: 'url', url } }],
    [undefined, undefined, true, { problem: { kind: 'missing', flags: ['region'] } }],
  ];
  for (const [region, metadataURL, agentEnableZonalURLs, expected] of cases) {
    const resolved = resolveControlPlaneAddress({ region, metadataURL, agentEnableZonalURLs });
    assert.partialDeepStrictEqual(resolved, expected);
  }
});
