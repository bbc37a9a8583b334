import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clonePoint } from './clone-point.ts';

const cases: [text: string, value: ReturnType<ReturnType<typeof clonePoint>['parse']> | 'refused'][] = [
  ['0', { value: { offset: 0 } }],
  ['99999999999', { value: { offset: 99_999_999_999 } }],
  ['100000000000', { value: { timestampMs: 100_000_000_000 } }],
  ['1769860800000', { value: { timestampMs: 1_769_860_800_000 } }],
  ['2026-01-31T12:00:00Z', { value: { timestampMs: 1_769_860_800_000 } }],
  ['2026-01-31T13:00:00.000+01:00', { value: { timestampMs: 1_769_860_800_000 } }],
  ['2026-01-31', { value: { timestampMs: 1_769_817_600_000 } }],
  ['3:7', { value: { offsets: [{ partition: 3, offset: 7 }] } }],
  [
    '0:7,2:9',
    {
      value: {
        offsets: [
          { partition: 0, offset: 7 },
          { partition: 2, offset: 9 },
        ],
      },
    },
  ],
  ['0:1769860800000', { value: { offsets: [{ partition: 0, offset: 1_769_860_800_000 }] } }],
  ['0:7,0:9', { problem: 'each partition is allowed once' }],
  ['-1', 'refused'],
  ['1.5', 'refused'],
  ['9999999999999999', 'refused'],
  ['yesterday', 'refused'],
  ['2026-13-01', 'refused'],
  ['2026-01-31T12:00:00', 'refused'],
  ['0:', 'refused'],
  ['0:1,', 'refused'],
];

for (const [text, expected] of cases) {
  test(`-at ${text}`, () => {
    const parsed = clonePoint().parse(text);
    if (expected === 'refused')
      assert.ok('problem' in parsed && parsed.problem.startsWith('an offset such as'));
    else assert.deepEqual(parsed, expected);
    if ('value' in parsed) assert.deepEqual(clonePoint().parse(clonePoint().print(parsed.value)), parsed);
  });
}
