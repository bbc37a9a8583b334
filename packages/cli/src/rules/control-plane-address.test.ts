import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlPlaneUrls } from './control-plane-address.ts';

test('addresses are those of the zones of a region, that of the region, or those that are given', () => {
  const urls = ['https://control.example.org', 'https://other.example.org'];
  const zonal = ['a', 'b', 'c'].map((zone) => `https://us-east-1-${zone}.example.org`);
  const cases: readonly [
    region: string | undefined,
    domain: string | undefined,
    urls: readonly string[] | undefined,
    zonal: boolean,
    expected: readonly string[] | { readonly missing: string },
  ][] = [
    ['us-east-1', 'example.org', undefined, true, zonal],
    ['us-east-1', 'example.org', undefined, false, ['https://us-east-1.example.org']],
    // The region takes precedence.
    ['us-east-1', 'example.org', urls, true, zonal],
    ['us-east-1', undefined, undefined, true, { missing: 'controlPlaneDomain' }],
    ['us-east-1', undefined, urls, true, { missing: 'controlPlaneDomain' }],
    [undefined, undefined, urls, true, urls],
    [undefined, 'example.org', urls, false, urls],
    [undefined, 'example.org', [], true, { missing: 'metadataURL' }],
    [undefined, undefined, undefined, true, { missing: 'metadataURL' }],
  ];
  for (const [region, controlPlaneDomain, metadataURL, agentEnableZonalURLs, expected] of cases) {
    const given = { region, controlPlaneDomain, metadataURL, agentEnableZonalURLs };
    const found = controlPlaneUrls({ ...given, multiregion: false });
    const shown = 'problem' in found ? { missing: found.problem.flags[0] } : found.value;
    assert.deepEqual(shown, expected);
  }
});

test('with several regions, the addresses that are given follow those of the own region', () => {
  const others = ['https://eu-west-1.example.org'];
  const values = {
    region: 'us-east-1',
    controlPlaneDomain: 'example.org',
    metadataURL: others,
    agentEnableZonalURLs: false,
    multiregion: true,
  };
  const urlsOf = (change: { readonly metadataURL?: undefined; readonly controlPlaneDomain?: undefined }) =>
    controlPlaneUrls({ ...values, ...change });
  assert.deepEqual(urlsOf({}), { value: ['https://us-east-1.example.org', ...others] });
  assert.deepEqual(urlsOf({ metadataURL: undefined }), { value: ['https://us-east-1.example.org'] });
  assert.deepEqual(urlsOf({ controlPlaneDomain: undefined }), { value: others });
  assert.ok('problem' in urlsOf({ controlPlaneDomain: undefined, metadataURL: undefined }));
});
