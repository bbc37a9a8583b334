import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlPlaneLimits } from './limits.ts';
import { Regions } from './regions.ts';

const us = { name: 'us', regions: ['us-east-1', 'us-west-2', 'us-south-1'] };
const eu = { name: 'eu', regions: ['eu-west-1', 'eu-north-1'] };

test('a cluster spans regions only if two of its group have a control plane', () => {
  let living: { region?: string }[] = [];
  const regions = new Regions({ own: 'us-east-1', groups: [us, eu] }, () => living);
  const cases: readonly [regions: readonly (string | undefined)[], isMulti: boolean][] = [
    [[], false],
    [['us-east-1'], false],
    [['us-east-1', 'us-east-1', undefined], false],
    [['us-east-1', 'eu-west-1'], false],
    [['us-west-2', 'us-south-1'], true],
  ];
  for (const [found, isMulti] of cases) {
    living = found.map((region) => (region === undefined ? {} : { region }));
    assert.equal(regions.isMultiRegion({ regionGroup: 'us' }), isMulti, String(found));
    assert.equal(regions.isMultiRegion({ regionGroup: 'gone' }), false);
    assert.equal(regions.isMultiRegion({ region: 'us-east-1' }), false);
  }
});

test('agents may come to the region of this process, those of the cluster, and all that have a control plane', () => {
  const living = [{ region: 'us-south-1' }, {}, { region: 'eu-west-1' }, { region: 'us-south-1' }];
  const regions = new Regions({ own: 'us-east-1', groups: [us, eu] }, () => living);
  assert.deepEqual(regions.reachedFor({ regionGroup: 'us' }), [...us.regions, 'eu-west-1']);
  assert.deepEqual(regions.reachedFor({ region: 'moon' }), ['us-east-1', 'moon', 'us-south-1', 'eu-west-1']);
  assert.deepEqual(regions.reachedFor(undefined), ['us-east-1', 'us-south-1', 'eu-west-1']);
  assert.deepEqual(new Regions(undefined, () => living).reachedFor({ regionGroup: 'us' }), []);
  const many = Array.from({ length: 100 }, (_, index) => ({ region: `region-${index}` }));
  assert.equal(
    new Regions({ own: 'us-east-1', groups: [us] }, () => many).reachedFor({ regionGroup: 'us' }).length,
    controlPlaneLimits.tokenRegionsMax,
  );
});

test('the regions that a cluster prefers, and the place of one without a choice', () => {
  const of = (...groups: (typeof us)[]) => new Regions({ own: 'us-west-2', groups }, () => []);
  assert.deepEqual(of(us).preferredBy({ regionGroup: 'us' }), us.regions);
  assert.deepEqual(of(us).preferredBy({ regionGroup: 'gone' }), []);
  assert.deepEqual(of(us).preferredBy({ region: 'eu-west-1' }), ['eu-west-1']);
  assert.deepEqual(of(us).usualPlace, { regionGroup: 'us' });
  assert.deepEqual(of(us, eu).usualPlace, { region: 'us-west-2' });
  assert.deepEqual(of().usualPlace, { region: 'us-west-2' });
  assert.deepEqual(new Regions(undefined, () => []).usualPlace, { region: 'us-east-1' });
});
