import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { JqEngine } from './jq-engine.ts';

const engine = new JqEngine(systemClock);
/** Its queries take as long as they like. */
const patientEngine = new JqEngine(new HandClock());
after(() => Promise.all([engine.close(), patientEngine.close()]));
const never = new AbortController().signal;

/** What a query makes of a document; its metadata is `{"m":"v"}`. */
function outcome(query: string, ...documents: readonly string[]): Promise<string> {
  return outcomeOf(engine, query, documents);
}

async function outcomeOf(runs: JqEngine, query: string, documents: readonly string[]): Promise<string> {
  await runs.compile(query);
  const lines = documents.map((document) => `[{"m":"v"},${document}]`);
  return (await runs.run(lines, never)).join(' ');
}

const document = '{"kind":"a","id":12345678901234567890,"items":[1,2.50,"x"]}';

// biome-ignore format: a table
const cases: readonly [query: string, line: string][] = [
  ['.kind',                      '{"v":["a"]}'],
  ['.id',                        '{"v":[12345678901234567890]}'],
  ['.items[]',                   '{"v":[1,2.50,"x"]}'],
  ['{k: .kind, m: $metadata.m}', '{"v":[{"k":"a","m":"v"}]}'],
  ['empty',                      '{"v":[]}'],
  ['.kind # a comment',          '{"v":["a"]}'],
  ['def f: .kind; f',            '{"v":["a"]}'],
  ['"\\n"',                      '{"v":["\\n"]}'],
  ['[$ENV, env]',                '{"v":[[{},{}]]}'],
  ['[debug, stderr] | length',   '{"v":[2]}'],
  ['inputs',                     '{"e":"input is not available"}'],
  ['1, halt',                    '{"e":"halted"}'],
  ['error({a: 1})',              '{"e":{"a":1}}'],
  ['.kind.x',                    '{"e":"Cannot index string with string (\\"x\\")"}'],
  ['"x" * 9000000',              '{"e":"the result has more than 8388608 bytes"}'],
];

test('queries see a message and its metadata, and nothing else', async () => {
  for (const [query, line] of cases) assert.equal(await outcome(query, document), line, query);
  assert.equal(
    await outcome('. + 1', '1', '"x"', '3'),
    '{"v":[2]} {"e":"string (\\"x\\") and number (1) cannot be added"} {"v":[4]}',
  );
});

test('queries with mistakes are refused', async () => {
  // biome-ignore format: a table
  const queries: readonly [query: string, problem: RegExp][] = [
    ['.a |',           /^Error: syntax error, unexpected end of file$/],
    ['.) , (.',        /^Error: syntax error/],
    ['nowhere',        /^Error: nowhere\/0 is not defined$/],
    ['include "a"; 1', /^Error: module not found/],
    ['',               /^Error: Top-level program not given/],
  ];
  for (const [query, problem] of queries) await assert.rejects(engine.compile(query), problem, query);
});

test('a query that takes too much memory or stack ends, and the next one runs', async () => {
  const queries = ['[range(1e9)] | length', 'reduce range(60) as $i ("x"; [., .])'];
  for (const query of queries)
    await assert.rejects(outcomeOf(patientEngine, query, ['1']), /took too much memory/, query);
  assert.equal(await outcomeOf(patientEngine, '.', ['1']), '{"v":[1]}');
});
