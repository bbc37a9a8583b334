import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regionGroups } from './region-groups.ts';

test('regions are grouped, in the order of preference', () => {
  assert.deepEqual(regionGroups().parse('us@us-east-1, us-west-2 <> eu@eu-west-1,eu-north-1'), {
    value: [
      { name: 'us', regions: ['us-east-1', 'us-west-2'] },
      { name: 'eu', regions: ['eu-west-1', 'eu-north-1'] },
    ],
  });
});

test('an invalid group is rejected with its position', () => {
  const cases: readonly [text: string, problem: RegExp][] = [
    ['us-east-1', /group 1 has no @$/],
    ['US@a,b', /^the names of group 1: up to 128 lowercase/],
    ['us@a,B', /^the names of group 1: up to 128 lowercase/],
    [`us@a,${'b'.repeat(65)}`, /^the names of group 1: at most 64 characters are allowed$/],
    ['us@a', /^group 1 needs 2 to 16 regions$/],
    [`us@${Array.from({ length: 17 }, (_, n) => `r${n}`)}`, /^group 1 needs 2 to 16 regions$/],
    ['us@a,b<>eu@c,c', /^group 2 lists a region twice$/],
    ['us@a,b<>us@c,d', /^group 2 is listed twice$/],
    [Array.from({ length: 65 }, (_, n) => `g${n}@a,b`).join('<>'), /^at most 64 groups are allowed$/],
  ];
  for (const [text, problem] of cases) {
    const parsed = regionGroups().parse(text);
    assert.ok('problem' in parsed, text);
    assert.match(parsed.problem, problem, text);
  }
});
