import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf } from './csv.ts';

const cells: [cell: string | number, printed: string][] = [
  ['orders', 'orders'],
  [-1, '-1'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=SUM(A1)', "'=SUM(A1)"],
  ['-orders', "'-orders"],
  ['@x,y', '"\'@x,y"'],
];

for (const [cell, printed] of cells)
  test(`${JSON.stringify(cell)} in CSV`, () =>
    assert.equal(csvOf(['name'], [[cell]]), `name\r\n${printed}\r\n`));
