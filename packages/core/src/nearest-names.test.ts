import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestNames } from './nearest-names.ts';

test('the names that were probably meant, nearest first', () => {
  const names = [
    'data.operation',
    'data.principal',
    'data.resource_name',
    'data.resource_type',
    'data.type',
    'type',
  ];
  const cases: [typed: string, meant: string[]][] = [
    ['data.operation', ['data.operation']],
    ['data.oepration', ['data.operation']],
    ['Data.Operation', ['data.operation']],
    ['data.operatoin', ['data.operation']],
    ['dat.operation', ['data.operation']],
    ['data.principals', ['data.principal']],
    ['operation', ['data.operation']],
    ['data.resource_tame', ['data.resource_name', 'data.resource_type']],
    ['tpye', ['type']],
    ['tape', ['type']],
    ['xyz', []],
    ['', []],
    [`data.${'x'.repeat(100)}`, []],
  ];
  for (const [typed, meant] of cases) assert.deepEqual(nearestNames(typed, names), meant, typed);
  assert.deepEqual(nearestNames('a', ['ab', 'ac', 'ad', 'ae']), ['ab', 'ac', 'ad']);
  assert.deepEqual(nearestNames('a', ['ab', 'ac'], 1), ['ab']);
});
