import { coreLimits } from '@weir/core';
import { int } from '../../values/numbers.ts';
import { text } from '../../values/text.ts';
import { available } from '../row.ts';
import { oneTableTools } from './takers.ts';

/** What the tools for tables read. */
export const tableFlags = [
  available({
    name: 'table',
    type: text('table name or UUID'),
    commands: oneTableTools,
    help: 'The table, by name or UUID.',
  }),
  available({
    name: 'sql',
    type: text('SELECT'),
    commands: ['cli tables query'],
    help: 'The query, such as SELECT count(*) FROM "shop__orders".',
    rule: 'Names with dots or dashes need double quotes.',
  }),
  available({
    name: 'rows',
    type: int({ min: 1, max: coreLimits.tableSqlRowsMax }),
    default: 100,
    commands: ['cli tables query', 'cli tables files', 'cli tables failures'],
    help: 'The maximum number of rows, files or records to print.',
  }),
];
