import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ResetForm, readResetForm } from './reset-target.ts';

test('what a person types becomes the input of a reset, or a problem', () => {
  const cases: readonly [form: Partial<ResetForm>, expected: unknown][] = [
    [{ to: 'latest' }, { to: 'latest' }],
    [
      { to: 'latest', topic: 'orders' },
      { to: 'latest', topics: ['orders'] },
    ],
    [
      { to: 'offset', value: ' 12 ' },
      { to: 'offset', offset: 12 },
    ],
    [{ to: 'offset', value: '-1' }, { problem: 'Enter a whole number, 0 or more.' }],
    [
      { to: 'shift', value: '-5' },
      { to: 'shift', shift_by: -5 },
    ],
    [{ to: 'shift', value: '5.5' }, { problem: 'Enter a whole number, negative to move back.' }],
    [
      { to: 'time', value: '2026-01-02T03:04:05Z' },
      { to: 'time', time: '2026-01-02T03:04:05.000Z' },
    ],
    [{ to: 'time' }, { problem: 'Choose a date and time.' }],
    [
      { to: 'group', value: 'other' },
      { to: 'group', from_group: 'other' },
    ],
    [{ to: 'group' }, { problem: 'Enter the name of a group.' }],
  ];
  for (const [form, expected] of cases)
    assert.deepEqual(readResetForm({ to: 'latest', value: '', topic: '', ...form }), expected);
});
