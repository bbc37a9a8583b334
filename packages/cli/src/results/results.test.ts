import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../commands/catalogue.ts';
import { familyOf } from '../commands/find.ts';
import { rowsOf } from '../flags/catalogue.ts';
import { servers } from '../flags/rows/takers.ts';
import { printResult, ResultRows } from './results.ts';

test('every command takes -output, except servers for others and lists of commands', () => {
  const without = commands
    .filter(({ name }) => !rowsOf(name).some((row) => row.name === 'output'))
    .map(({ name }) => name);
  const lists = commands
    // By itself, it says what comes next in a migration.
    .filter(({ name }) => familyOf(name).length > 0 && name !== 'cli migrate')
    .map(({ name }) => name);
  const selfContained = ['local', 'playground', 'demo'];
  const serversApart = servers.filter((name) => !selfContained.includes(name));
  const scripts = commands.filter(({ name }) => name.startsWith('completion ')).map(({ name }) => name);
  assert.deepEqual(
    without.toSorted(),
    // What a pipeline prints is its own.
    [...new Set([...serversApart, ...lists, ...scripts, 'help', 'cli-old', 'cli run-pipeline'])].toSorted(),
  );
});

/** An output that collects what is printed. */
function collected() {
  let text = '';
  const output = {
    out(more: string) {
      text += more;
    },
    err() {},
    isTerminal: false,
    async drained() {},
  };
  return { deps: { output }, text: () => text };
}

test('a result is printed in one of its forms', () => {
  const { deps, text } = collected();
  const result = { json: { topic: 'orders', offset: 9_007_199_254_740_993n }, text: () => 'orders\n' };
  printResult({ output: 'json' }, deps, result);
  printResult({ output: 'table' }, deps, result);
  assert.equal(text(), '{"topic":"orders","offset":9007199254740993}\norders\n');
});

test('rows are printed as they arrive, as a table or as a line of JSON each', async () => {
  const forms = {
    header: ['NAME', 'SIZE'],
    cells: ({ name, size }: { name: string; size: number }) => [name, String(size)],
    json: (row: { name: string; size: number }) => row,
  };
  const arriving = [[{ name: 'a', size: 1 }], [{ name: 'longer\u001b', size: 2 }]];
  const printed = async (output: 'table' | 'json') => {
    const { deps, text } = collected();
    const rows = new ResultRows({ output }, deps, forms);
    for (const some of arriving) await rows.print(some);
    return text();
  };
  assert.equal(await printed('table'), 'NAME  SIZE\na     1\nlonger\\u001b  2\n');
  assert.equal(await printed('json'), '{"name":"a","size":1}\n{"name":"longer\\u001b","size":2}\n');
});
