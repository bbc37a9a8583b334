import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFields } from './compare-fields.ts';

/**
 * `operation: WRITE 60 READ 40` of 100 events; with `of 90/500` the field has 90 values in 500 events, of which these
 * are the most frequent.
 */
function sample(lines: readonly string[], sampled_events = 100) {
  return {
    sampled_events,
    fields: lines.map((line) => {
      const [, name, values, distinct, events] = /^(\S+): (.*?)(?: of (\d+)\/(\d+))?$/.exec(line)!;
      const words = values!.split(' ');
      const top_values = [];
      for (let at = 0; at < words.length; at += 2)
        top_values.push({ value: words[at]!, events: Number(words[at + 1]) });
      return {
        name: name!,
        types: ['string' as const],
        events: Number(events ?? top_values.reduce((sum, one) => sum + one.events, 0)),
        distinct_values: Number(distinct ?? top_values.length),
        top_values,
      };
    }),
  };
}

const table: [what: string, selection: string[], baseline: string[], found: string[], filtered?: string[]][] =
  [
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
    ['the largest first', ['a: x 20 z 1', 'b: y 90 z 1'], ['a: z 1', 'b: z 1'], ['b y 90', 'a x 20']],
    [
      'constants after differences, however many events lack them',
      ['is_log: true 100', 'zone: a 60 b 40'],
      ['is_log: true 10', 'zone: a 40 b 60'],
      ['zone a 20', 'zone b -20', 'is_log true 90'],
    ],
    ['a constant that is the same', ['release: v830 100'], ['release: v830 100'], []],
    [
      'a constant that changed is a difference',
      ['release: v830 100', 'zone: a 60 b 40'],
      ['release: v829 100', 'zone: a 40 b 60'],
      ['release v830 100', 'release v829 -100', 'zone a 20', 'zone b -20'],
    ],
    [
      'fields of the filter come after significant ones',
      ['log_level: error 100', 'module: storage 55 net 45'],
      ['log_level: info 90 error 10', 'module: storage 5 net 95'],
      ['module storage 50', 'module net -50', 'log_level error 90', 'log_level info -90'],
      ['log_level'],
    ],
    [
      'ids, of which each sample has its own',
      ['request: r1 1 r2 1 of 90/90', 'zone: a 55 b 45'],
      ['request: q1 1 q2 1 of 95/100', 'zone: a 45 b 55'],
      ['zone a 10', 'zone b -10'],
    ],
  ];

for (const [what, selection, baseline, found, filtered] of table) {
  test(`${what}: ${found.join(', ') || 'no difference'}`, () => {
    const differences = compareFields(sample(selection), sample(baseline), new Set(filtered));
    assert.deepEqual(
      differences.map(({ field, value, difference }) => `${field} ${value} ${difference}`),
      found,
    );
  });
}

test('a selection of one event does not make its ids the largest difference', () => {
  const selection = sample(['id: e7 1', 'correlation: 42 1', 'zone: a 1'], 1);
  const baseline = sample(['id: e1 1 of 50/50', 'correlation: 7 2 of 40/50', 'zone: a 10 b 40'], 50);
  const differences = compareFields(selection, baseline);
  assert.deepEqual(
    differences.map(({ field, value, kind }) => `${kind} ${field} ${value}`),
    ['telling zone a', 'telling zone b', 'unique id e7', 'unique correlation 42'],
  );
});

test('a value that is not among the most frequent of the other sample does not count as missing', () => {
  const selection = sample(['topic: t9 4 t1 4 of 25/100']);
  const baseline = sample(['topic: t1 4 t2 4 of 25/100']);
  assert.deepEqual(compareFields(selection, baseline), []);
});
