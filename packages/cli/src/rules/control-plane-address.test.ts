import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveControlPlaneAddress } from './control-plane-address.ts';

test('the region takes precedence over the address', () => {
  const urls = ['https://control.example.org', 'https://other.example.org'];
  const cases: readonly [
    region: string | undefined,
    urls: readonly string[] | undefined,
    zonal: boolean,
    expected: object,
  ][] = [
    ['us-east-1', undefined, true, { value: { kind: 'zonal', region: 'us-east-1' } }],
    ['us-east-1', undefined, false, { value: { kind: 'regional', region: 'us-east-1' } }],
    ['us-east-1', urls, true, { value: { kind: 'zonal', region: 'us-east-1' } }],
    [undefined, urls, true, { value: { kind: 'urls', urls } }],
    [undefined, urls, false, { value: { kind: 'urls', urls } }],
    [undefined, [], true, { problem: { kind: 'missing', flags: ['region'] } }],
    [undefined, undefined, true, { problem: { kind: 'missing', flags: ['region'] } }],
  ];
  for (const [region, metadataURL, agentEnableZonalURLs, expected] of cases) {
    const resolved = resolveControlPlaneAddress({ region, metadataURL, agentEnableZonalURLs });
    assert.partialDeepStrictEqual(resolved, expected);
  }
});
