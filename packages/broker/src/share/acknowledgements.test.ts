import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acknowledgeTypes } from '@weir/cluster';
import { acknowledgementsOf } from './acknowledgements.ts';

type Batch = readonly [first: number, last: number, ...codes: number[]];

function rowsOf(batches: readonly Batch[], isRenewAck = false): string[] | undefined {
  const [partition] = acknowledgementsOf(
    [
      {
        topicId: 't',
        partitions: [
          {
            partitionIndex: 0,
            acknowledgementBatches: batches.map(([first, last, ...codes]) => ({
              firstOffset: BigInt(first),
              lastOffset: BigInt(last),
              acknowledgeTypes: codes,
            })),
          },
        ],
      },
    ],
    isRenewAck,
  );
  const rows = partition!.acknowledged;
  return (
    rows &&
    Array.from(
      rows.type,
      (type, row) => `${rows.firstOffset[row]}-${rows.lastOffset[row]} ${acknowledgeTypes[type]}`,
    )
  );
}

const cases: [
  what: string,
  batches: readonly Batch[],
  rows: readonly string[] | undefined,
  isRenewAck?: boolean,
][] = [
  ['one type for a range', [[3, 7, 1]], ['3-7 accept']],
  ['one type per record', [[3, 6, 1, 1, 2, 3]], ['3-4 accept', '5-5 release', '6-6 reject']],
  ['one record', [[3, 3, 0]], ['3-3 gap']],
  [
    'two batches',
    [
      [0, 1, 1],
      [5, 5, 2],
    ],
    ['0-1 accept', '5-5 release'],
  ],
  [
    'adjacent ranges of one type are not merged',
    [
      [0, 1, 1],
      [2, 2, 1],
    ],
    ['0-1 accept', '2-2 accept'],
  ],
  ['an announced renewal', [[0, 1, 4]], ['0-1 renew'], true],
  ['an unannounced renewal', [[0, 1, 4]], undefined],
  ['a type that only the agent may send', [[0, 1, 5]], undefined, true],
  ['a negative type', [[0, 1, -1]], undefined],
  ['backwards', [[2, 1, 1]], undefined],
  ['before the log', [[-2, 1, 1]], undefined],
  [
    'overlapping',
    [
      [0, 2, 1],
      [2, 3, 1],
    ],
    undefined,
  ],
  ['too few types', [[0, 2, 1, 1]], undefined],
  ['too many types', [[0, 0, 1, 1]], undefined],
  ['no types', [[0, 0]], undefined],
];

for (const [what, batches, rows, isRenewAck] of cases) {
  test(`acknowledgements: ${what}`, () => assert.deepEqual(rowsOf(batches, isRenewAck), rows));
}
