import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { mapTopics } from './map-topics.ts';
import { readConfiguration } from './read-configuration.ts';

/** Maps topics as `regex > prefix` say, in that order. */
async function mapped(rules: readonly string[], topics: readonly string[]) {
  const mappings = rules.map((rule) => {
    const [regex, prefix = ''] = rule.split(' > ');
    return `  - {source_regex: '${regex}', destination_prefix: '${prefix}'}\n`;
  });
  const yaml = `source_bootstrap_brokers: [{hostname: h, port: 1}]\ntopic_mappings:\n${mappings.join('')}`;
  const reading = readConfiguration(yaml);
  assert.ok('configuration' in reading);
  const found = await mapTopics(
    reading.configuration.mappings,
    topics.map((name) => ({ name, isInternal: name === '_internal' })),
    systemClock,
  );
  return [
    ...found.mapped.map(({ source, destination }) => `${source} > ${destination}`),
    ...found.refused.map(({ source, reason }) => `${source}: ${reason}`),
    ...found.unmatched.map((name) => `${name} stays`),
  ];
}

const long = 'x'.repeat(248);

// biome-ignore format: a table
const cases: readonly [what: string, rules: readonly string[], topics: readonly string[], expected: readonly string[]][] = [
  ['the first mapping decides',          ['orders > a.', 'o.* > b.'],    ['orders', 'other'],                ['orders > a.orders', 'other > b.other']],
  ['the whole name is matched',          ['order'],                      ['order', 'orders'],                ['order > order', 'orders stays']],
  ['nothing matches',                    ['a'],                          ['b'],                              ['b stays']],
  ['two topics of one name here',        ['a > x', 'xa'],                ['a', 'xa', 'b'],                   ['a: would be xa, as the topic xa would', 'xa: would be xa, as the topic a would', 'b stays']],
  ['internal topics',                    ['.*'],                         ['__consumer_offsets', '__transaction_state', '_internal', '__mine'], ['__mine > __mine', '__consumer_offsets: is an internal topic of the source', '__transaction_state: is an internal topic of the source', '_internal: is an internal topic of the source']],
  ['a name that gets too long',          ['.* > ab'],                    [long],                             [`${long}: would be ab${long}, which is not the name of a topic`]],
];

for (const [what, rules, topics, expected] of cases)
  test(what, async () => assert.deepEqual(await mapped(rules, topics), expected));
