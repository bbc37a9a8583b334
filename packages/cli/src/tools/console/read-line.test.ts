import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LineProperties, readLineProperties } from '../../values/console-properties.ts';
import { lineReader } from './read-line.ts';

function read(line: string, properties: Record<string, string> = {}) {
  const given = Object.entries(properties).map(([name, value]) => ({ name, value }));
  const found = readLineProperties(given) as { readonly value: LineProperties };
  const reading = lineReader(found.value)(Buffer.from(line));
  if ('problem' in reading) return reading.problem;
  const { key, value, headers } = reading.record;
  return [
    key?.toString() ?? null,
    value?.toString() ?? null,
    ...headers.map((one) => `${one.key}=${one.value}`),
  ];
}

const keyed = { 'parse.key': 'true' };
const withHeaders = { ...keyed, 'parse.headers': 'true' };

test('a line is a value, or has a key and headers before it', () => {
  const cases: readonly [
    line: string,
    properties: Record<string, string>,
    record: readonly (string | null)[],
  ][] = [
    ['a\tb', {}, [null, 'a\tb']],
    ['', {}, [null, '']],
    ['k\tv\tw', keyed, ['k', 'v\tw']],
    ['\tv', keyed, ['', 'v']],
    ['k::v:w', { ...keyed, 'key.separator': '::' }, ['k', 'v:w']],
    ['h:1,g:x:y\tk\tv', withHeaders, ['k', 'v', 'h=1', 'g=x:y']],
    ['\tk\tv', withHeaders, ['k', 'v']],
    [
      'h=1;g=2|v',
      {
        'parse.headers': 'true',
        'headers.delimiter': '|',
        'headers.separator': ';',
        'headers.key.separator': '=',
      },
      [null, 'v', 'h=1', 'g=2'],
    ],
    ['NULL\tNULL', { ...keyed, 'null.marker': 'NULL' }, [null, null]],
    ['h:NULL\tk\tNULL', { ...withHeaders, 'null.marker': 'NULL' }, ['k', null, 'h=null']],
    ['NULL\tk\tv', { ...withHeaders, 'null.marker': 'NULL' }, ['k', 'v']],
    ['no key', { ...keyed, 'ignore.error': 'true' }, [null, 'no key']],
    ['no headers\tk\tv', { ...withHeaders, 'ignore.error': 'true' }, ['no headers', 'k\tv']],
  ];
  for (const [line, properties, record] of cases) assert.deepEqual(read(line, properties), record, line);
});

test('a line without its separators is a problem', () => {
  assert.equal(read('no key', keyed), 'has no key before "\\t"');
  assert.equal(read('k\tv', withHeaders), 'has no headers before "\\t"');
  assert.equal(read('nothing', withHeaders), 'has no headers before "\\t"');
  assert.equal(read('h:1\tv', withHeaders), 'has no key before "\\t"');
});
