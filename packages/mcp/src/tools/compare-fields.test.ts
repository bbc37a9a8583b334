import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFields } from './compare-fields.ts';

/** `operation: WRITE 60 READ 40` of 100 events. */
function sample(...lines: readonly string[]) {
  return {
    sampled_events: 100,
    fields: lines.map((line) => {
      const [name, ...words] = line.split(/:? /);
      const top_values = [];
      for (let at = 0; at < words.length; at += 2)
        top_values.push({ value: words[at]!, events: Number(words[at + 1]) });
      return {
        name: name!,
        types: ['string' as const],
        events: top_values.reduce((sum, { events }) => sum + events, 0),
        distinct_values: top_values.length,
        top_values,
      };
    }),
  };
}

const table: [what: string, selection: string[], baseline: string[], found: string[]][] = [
  ['the same', ['operation: WRITE 60 READ 40'], ['operation: WRITE 60 READ 40'], []],
  [
    'a value that is more frequent',
    ['operation: WRITE 90 READ 10'],
    ['operation: WRITE 50 READ 50'],
    ['operation WRITE 40', 'operation READ -40'],
  ],
  ['a value that is new', ['host: a 50 b 50'], ['host: a 100'], ['host a -50', 'host b 50']],
  ['a field that is gone', [], ['level: error 30'], ['level error -30']],
  ['a difference that is chance', ['zone: a 50.5 b 49.5'], ['zone: a 50 b 50'], []],
  ['the largest first', ['a: x 20', 'b: y 90'], [], ['b y 90', 'a x 20']],
];

for (const [what, selection, baseline, found] of table) {
  test(`${what}: ${found.join(', ') || 'no difference'}`, () => {
    const differences = compareFields(sample(...selection), sample(...baseline));
    assert.deepEqual(
      differences.map(({ field, value, difference }) => `${field} ${value} ${difference}`),
      found,
    );
  });
}

test('a field that has another value in every event tells nothing', () => {
  const ids = {
    name: 'id',
    types: ['string' as const],
    events: 4,
    distinct_values: 4,
    top_values: [{ value: 'a', events: 1 }],
  };
  assert.deepEqual(compareFields({ sampled_events: 4, fields: [ids] }, sample()), []);
});
