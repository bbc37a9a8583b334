import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { readConfiguration } from '../configuration/index.ts';
import type { SourceProbe } from '../source/index.ts';
import { type OwnFacts, type Preflight, preflight, type SourceFactsRead } from './index.ts';

const probe: SourceProbe = {
  clusterId: 'old',
  brokers: [{ nodeId: 1, address: 'old:9092', problem: undefined }],
  fetchVersion: 17,
  hasTopicIds: true,
  knowsEpochs: true,
};

function topic(name: string, partitionCount = 2, isInternal = false) {
  const partitions = Array.from({ length: partitionCount }, (_, partition) => ({
    partition,
    leaderId: 1,
    leaderEpoch: 0,
  }));
  return { name, topicId: null, isInternal, partitions };
}

const source: SourceFactsRead = {
  probe,
  topics: {
    clusterId: 'old',
    topics: [topic('__consumer_offsets', 50, true), topic('clicks'), topic('orders')],
    refused: [],
  },
  configs: {
    answer: [
      { topic: 'orders', configs: [{ name: 'retention.ms', value: '1' }], problem: undefined },
      { topic: 'clicks', configs: [{ name: 'cleanup.policy', value: 'shred' }], problem: undefined },
    ],
    problem: undefined,
  },
  brokerConfigs: undefined,
  ends: [
    { topic: 'orders', partition: 0, logStart: 5, endOffset: 15, endEpoch: 0 },
    { topic: 'orders', partition: 1, failure: 'moved', message: 'orders[1]: no leader' },
  ],
  topicBytes: { answer: new Map([['orders', 1000]]), problem: undefined },
  acls: undefined,
  groups: {
    answer: {
      listed: {
        groups: ['billing', 'idle', 'live'].map((groupId) => ({
          groupId,
          coordinatorId: 1,
          protocolType: 'consumer',
          state: 'Stable',
          type: 'classic',
        })),
        problems: [],
      },
      commits: {
        commits: ['billing', 'live'].map((groupId) => ({
          groupId,
          topic: 'orders',
          partition: 0,
          offset: 7,
          metadata: '',
        })),
        pending: [],
        problems: [],
      },
    },
    problem: undefined,
  },
};

const own: OwnFacts = {
  pipelineId: 'p',
  topics: [],
  enforcesAcls: true,
  busyGroups: new Set(['live']),
  freePartitions: 100,
  jobAgentCount: 1,
};

const configuration = (regex = '.*', more = '') =>
  `source_bootstrap_brokers: [{hostname: old, port: 9092}]\ntopic_mappings: [{source_regex: "${regex}"}]\n${more}`;

async function decide(
  changes: { source?: Partial<SourceFactsRead>; own?: Partial<OwnFacts>; yaml?: string } = {},
): Promise<Preflight> {
  const reading = readConfiguration(changes.yaml ?? configuration());
  assert.ok('configuration' in reading);
  return preflight(
    {
      configuration: reading.configuration,
      source: { ...source, ...changes.source },
      own: { ...own, ...changes.own },
    },
    systemClock,
  );
}

const lines = ({ findings }: Preflight) =>
  findings.map(({ severity, subject, message }) => `${severity}: ${subject}: ${message}`);

test('it says what becomes of each topic, config and group', async () => {
  const result = await decide();
  assert.deepEqual(
    result.topics.map(({ source: name, fate }) => [name, fate]),
    [
      ['__consumer_offsets', 'not selected'],
      ['clicks', 'created'],
      ['orders', 'created'],
    ],
  );
  assert.deepEqual(
    result.groups.map(({ groupId, fate, commitCount }) => [groupId, fate, commitCount]),
    [
      ['billing', 'copied', 1],
      ['idle', 'left out', 0],
      ['live', 'waits', 1],
    ],
  );
  assert.equal(result.canStart, true);
  assert.deepEqual(result.totals, { topics: 2, partitions: 4, offsets: 10, bytes: 1000, groups: 1, acls: 0 });
  assert.deepEqual(lines(result), [
    'warning: topic orders: 1 partitions do not answer at the moment, and are copied once they do: orders[1]: no leader',
    'warning: topic clicks: cleanup.policy=shred is not copied: must be any of delete, compact, separated by commas, or empty',
    'warning: group live: it has members here and at the source; stop one of them: it has members here; its offsets are left alone until it has none',
  ]);
});

// biome-ignore format: a table
const cases: readonly [what: string, changes: Parameters<typeof decide>[0], line: RegExp, canStart: boolean][] = [
  ['no agent runs jobs', { own: { jobAgentCount: 0 } }, /^blocking: the agents: no agent runs jobs of migrations; start one/, false],
  ['there is no room', { own: { freePartitions: 3 } }, /^blocking: the cluster: 4 partitions are to be created, and there is room for 3/, false],
  ['no topic is selected', { yaml: configuration('nothing') }, /^blocking: the source: no topic would be copied; check topic_mappings/, false],
  ['a broker is too old', { source: { probe: { ...probe, brokers: [{ nodeId: 2, address: 'b:1', problem: 'too old' }] } } }, /^blocking: the source: broker 2 \(b:1\): too old$/, false],
  ['the name is taken', { own: { topics: [{ name: 'orders', partitionCount: 2, managedBy: undefined }] } }, /^blocking: topic orders: the topic orders exists here already with records of its own; delete it here/, true],
  ['another migration has it', { own: { topics: [{ name: 'orders', partitionCount: 2, managedBy: 'q' }] } }, /^blocking: topic orders: the topic orders belongs to another migration/, true],
  ['the copy has more partitions', { own: { topics: [{ name: 'orders', partitionCount: 3, managedBy: 'p' }] } }, /^blocking: topic orders: has 2 partitions, and its copy 3: it was created again/, true],
  ['the source has no ids', { source: { probe: { ...probe, hasTopicIds: false } } }, /^note: the source: has no ids of topics/, true],
  ['configs cannot be read', { source: { configs: { answer: undefined, problem: 'denied' } } }, /^warning: the source: configs of topics cannot be read.*: denied$/, true],
  ['offsets cannot be read', { source: { groups: { answer: undefined, problem: 'denied' } } }, /^warning: groups: some offsets cannot be read: denied$/, true],
];

for (const [what, changes, line, canStart] of cases)
  test(`${what}: ${line.source}`, async () => {
    const result = await decide(changes);
    assert.ok(
      lines(result).some((one) => line.test(one)),
      lines(result).join('\n'),
    );
    assert.equal(result.canStart, canStart);
  });

test('a topic that the migration has already goes on', async () => {
  const result = await decide({ own: { topics: [{ name: 'orders', partitionCount: 2, managedBy: 'p' }] } });
  assert.equal(result.topics.find(({ source: name }) => name === 'orders')!.fate, 'continued');
});
