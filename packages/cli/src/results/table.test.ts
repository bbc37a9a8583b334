import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table, table } from './table.ts';

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  assert.equal(
    table(
      ['A', 'LONGER'],
      [
        ['cell', ''],
        ['x', 'y'],
      ],
    ),
    'A     LONGER\ncell\nx     y\n',
  );
  assert.equal(table(['A'], []), 'A\n');
});

test('a continued table has one header, and columns that only grow', () => {
  const rows = new Table(['A', 'B']);
  assert.equal(rows.add([['1', '2']]), 'A  B\n1  2\n');
  assert.equal(rows.add([['123', '4']]), '123  4\n');
  assert.equal(rows.add([['5', '6']]), '5    6\n');
});

test('a cell cannot break the table', () => {
  assert.equal(table(['A'], [['\u001b[2J\n']]), 'A\n\\u001b[2J\\n\n');
});
