import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileTopicPattern } from './topic-pattern.ts';

const cases: [expression: string, name: string, matches: boolean][] = [
  ['.*', 'orders', true],
  ['.*', '__consumer_offsets', true],
  ['.*', '__service_events_acl_logs', false],
  ['__service_events_.*', '__service_events_acl_logs', false],
  ['logs-.*', 'orders', false],
];

for (const [expression, name, matches] of cases) {
  test(`${expression} ${matches ? 'matches' : 'does not match'} ${name}`, () => {
    const pattern = compileTopicPattern(expression);
    assert.equal(pattern.problem === undefined && pattern.matches(name), matches);
  });
}

test('problems of a pattern are reported unchanged', () => {
  assert.match(compileTopicPattern('(').problem ?? '', /missing closing \)/);
});
