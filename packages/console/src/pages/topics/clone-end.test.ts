import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCloneEnd } from './clone-end.ts';

test('the end of a clone is now, a time, or offsets of partitions', () => {
  const typed = { time: '', offsets: '' };
  const cases: [form: object, partitionCount: number, end: object][] = [
    [{ upTo: 'now', offsets: 'left over' }, 3, {}],
    [{ upTo: 'time', time: '2026-01-31T12:00:00Z' }, 3, { at_timestamp: '2026-01-31T12:00:00.000Z' }],
    [{ upTo: 'time' }, 3, { problem: 'Choose a date and time.' }],
    [{ upTo: 'offset', offsets: ' 42 ' }, 1, { at_offsets: [{ partition: 0, offset: 42 }] }],
    [{ upTo: 'offset', offsets: '0:42' }, 1, { at_offsets: [{ partition: 0, offset: 42 }] }],
    [
      { upTo: 'offset', offsets: '0:42, 2:17' },
      3,
      {
        at_offsets: [
          { partition: 0, offset: 42 },
          { partition: 2, offset: 17 },
        ],
      },
    ],
    [{ upTo: 'offset', offsets: '42' }, 3, { problem: '42 is not partition:offset, such as 0:1200.' }],
    [{ upTo: 'offset', offsets: '-1' }, 1, { problem: 'Enter a whole number, 0 or more.' }],
    [{ upTo: 'offset', offsets: '3:1' }, 3, { problem: 'The topic has partitions 0 to 2, not 3.' }],
    [{ upTo: 'offset', offsets: '1:1 1:2' }, 3, { problem: 'Partition 1 has two offsets.' }],
    [{ upTo: 'offset' }, 3, { problem: 'Enter an offset.' }],
  ];
  for (const [form, partitionCount, end] of cases)
    assert.deepEqual(
      readCloneEnd({ ...typed, ...form } as Parameters<typeof readCloneEnd>[0], partitionCount),
      end,
    );
});
