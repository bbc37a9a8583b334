import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zonedCidrBlocks } from './zoned-cidr-blocks.ts';

test('address blocks are grouped by zone', () => {
  const text = 'us-east-1a@10.0.0.0/16,10.1.0.0/16<>us-east-1b@10.2.0.0/16,fd00::/8';
  assert.deepEqual(zonedCidrBlocks().parse(text), {
    value: [
      { zone: 'us-east-1a', cidrs: ['10.0.0.0/16', '10.1.0.0/16'] },
      { zone: 'us-east-1b', cidrs: ['10.2.0.0/16', 'fd00::/8'] },
    ],
  });
});

test('an invalid block is rejected with its position', () => {
  const cases: readonly [text: string, problem: RegExp][] = [
    ['10.0.0.0/16', /zone 1 has no @$/],
    ['A@10.0.0.0/16', /^the name of zone 1: up to 128 lowercase/],
    ['a@10.0.0.0', /^block 1 of zone 1 is not a CIDR/],
    ['a@10.0.0.0/33', /^block 1 of zone 1/],
    ['a@10.0.0.0/8,::1/129', /^block 2 of zone 1/],
    ['a@10.0.0.0/8<>', /zone 2 has no @$/],
    ['a@10.0.0.0/8<>a@11.0.0.0/8', /^zone 2 is listed twice$/],
  ];
  for (const [text, problem] of cases) {
    const parsed = zonedCidrBlocks().parse(text);
    assert.ok('problem' in parsed, text);
    assert.match(parsed.problem, problem, text);
  }
});
