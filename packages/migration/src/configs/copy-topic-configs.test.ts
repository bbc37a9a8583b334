import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configCatalogues } from '@weir/cluster';
import { copyTopicConfigs } from './copy-topic-configs.ts';
import { topicConfigRule } from './topic-config-rules.ts';

// biome-ignore format: a table
const cases: readonly [config: string, fate: string][] = [
  ['retention.ms=604800000',              'copied'],
  ['retention.ms=-1',                     'copied'],
  ['retention.ms=soon',                   'refused: must be '],
  ['cleanup.policy=compact,delete',       'copied'],
  ['cleanup.policy=shred',                'refused: must be '],
  ['message.timestamp.type=LogAppendTime', 'copied'],
  ['compression.type=zstd',               'without effect: batches keep the codec of their producer'],
  ['segment.bytes=1073741824',            'left out: there are no segments on disks here'],
  ['min.insync.replicas=2',               'left out: the object store replicates the records'],
  ['remote.storage.enable=true',          'left out: all records are in the object store from the start'],
  ['message.format.version=0.10.2',       'left out: batches of the current format are stored; older ones are rebuilt'],
  ['confluent.tier.enable=true',          'left out: it belongs to the service of the source'],
  ['service.value.schema.validation=true', 'left out: it belongs to the service of the source'],
  ['of.the.future=1',                     'left out: there is no such config here'],
  ['__proto__=1',                         'left out: there is no such config here'],
];

for (const [config, expected] of cases)
  test(`${config} is ${expected}`, () => {
    const [name, value] = config.split('=') as [string, string];
    const { configs, outcomes } = copyTopicConfigs([{ name, value }]);
    const [{ fate, reason }] = outcomes as [(typeof outcomes)[number]];
    assert.ok(
      (reason === undefined ? fate : `${fate}: ${reason}`).startsWith(expected),
      `${fate}: ${reason}`,
    );
    const isSet = fate === 'copied' || fate === 'without effect';
    assert.deepEqual(Object.entries(configs), isSet ? [[name, value]] : []);
  });

test('a rule decides about every config of topics that Kafka has', () => {
  const undecided = Object.keys(configCatalogues.topic.rows).filter((name) => {
    const rule = topicConfigRule(name);
    return rule.fate === 'left out' && rule.reason === 'there is no such config here';
  });
  assert.deepEqual(undecided, []);
});
