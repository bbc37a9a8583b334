import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editedValue, shownValue, storedValue, typedProblem } from './config-values.ts';

const rule = {
  type: 'long',
  rule: 'a whole number from -1 to 9',
  words: null,
  maximum: '9223372036854775807',
} as const;
const retention = { ...rule, unit: 'ms', minimum: '-1' } as const;
const lag = { ...rule, unit: 'ms', minimum: '1' } as const;
const size = { ...rule, unit: 'bytes', minimum: '0' } as const;
const policy = { ...rule, type: 'string', unit: null, minimum: null, maximum: null } as const;

const cases: [
  definition: Parameters<typeof storedValue>[0],
  stored: string,
  shown: string,
  edited: string,
][] = [
  [retention, '604800000', '7 d', '7 d'],
  [retention, '-1', 'unlimited', 'unlimited'],
  [lag, '9223372036854775807', 'unlimited', 'unlimited'],
  [retention, '9223372036854775807', 'unlimited', '9223372036854775807'],
  [size, '1048576', '1 MiB', '1 MiB'],
  [policy, 'delete', 'delete', 'delete'],
  [policy, '', 'empty', ''],
];

for (const [definition, stored, shown, edited] of cases) {
  test(`a config of ${stored || 'nothing'} with a minimum of ${definition.minimum}`, () => {
    assert.deepEqual([shownValue(definition, stored), editedValue(definition, stored)], [shown, edited]);
    assert.equal(storedValue(definition, edited), stored, 'saving what is there changes nothing');
  });
}

test('what was typed is refused with an example of its unit', () => {
  assert.equal(typedProblem(retention, '7d'), undefined);
  assert.equal(
    typedProblem(retention, 'soon'),
    'must be a whole number from -1 to 9, or an amount such as 7 d',
  );
  assert.equal(typedProblem(size, '-5'), 'must be a whole number from -1 to 9, or an amount such as 512 MiB');
  assert.equal(shownValue(size, null), 'set by agents');
});
