import { zeroUuid } from '@weir/wire';
import type { Pair } from '../pair.ts';
import type { Dialogue } from './dialogue.ts';

const [set, remove, append, subtract] = [0, 1, 2, 3] as const;
const kinds = { topic: 2, broker: 4, logger: 8, clientMetrics: 16, group: 32 } as const;

type Change = readonly [name: string, operation: number, value: string | null];

function change(
  pair: Pair,
  resourceType: number,
  resourceName: string,
  changes: readonly Change[],
  validateOnly = false,
) {
  return pair.ask('IncrementalAlterConfigs', {
    resources: [
      {
        resourceType,
        resourceName,
        configs: changes.map(([name, configOperation, value]) => ({ name, configOperation, value })),
      },
    ],
    validateOnly,
  });
}

function describe(pair: Pair, resourceType: number, resourceName: string, keys: readonly string[] | null) {
  return pair.ask('DescribeConfigs', {
    resources: [{ resourceType, resourceName, configurationKeys: keys }],
    includeSynonyms: true,
    includeDocumentation: true,
  });
}

/** What administrators ask of a cluster. */
export const administrationDialogues: readonly Dialogue[] = [
  {
    name: 'configs of topics are changed',
    api: 'IncrementalAlterConfigs',
    async run(pair) {
      const topic = await pair.topic('configured');
      const to = (changes: readonly Change[], validateOnly = false) =>
        change(pair, kinds.topic, topic, changes, validateOnly);
      const read = () =>
        describe(pair, kinds.topic, topic, ['retention.ms', 'cleanup.policy', 'max.message.bytes']);
      await to([['retention.ms', set, '60000']], true);
      await to([['retention.ms', set, '60000']]);
      await read();
      await to([['cleanup.policy', append, 'compact']]);
      await read();
      await to([['cleanup.policy', append, 'compact']]);
      await to([['cleanup.policy', subtract, 'delete']]);
      await read();
      await to([['retention.ms', remove, null]]);
      await read();
      await to([['retention.ms', remove, null]]);
      for (const changes of [
        [['retention.ms', set, 'soon']],
        [['retention.ms', set, null]],
        [['retention.ms', append, '5']],
        [['retention.ms', 9, '5']],
        [['no.such.config', set, '5']],
        [['no.such.config', remove, null]],
        [['cleanup.policy', set, 'keep']],
        [['cleanup.policy', set, '']],
        [['min.cleanable.dirty.ratio', set, '2']],
        [['segment.bytes', set, '-1']],
        [
          ['retention.ms', set, '1'],
          ['retention.ms', set, '2'],
        ],
        [
          ['retention.ms', set, '5'],
          ['no.such.config', set, '5'],
        ],
        [['', set, '5']],
        [],
      ] as readonly (readonly Change[])[]) {
        await to(changes);
      }
      await read();
      await change(pair, kinds.topic, `${pair.prefix}-absent`, [['retention.ms', set, '5']]);
      await change(pair, kinds.topic, '', [['retention.ms', set, '5']]);
      for (const kind of [0, 1, 3, 99, -1]) await change(pair, kind, topic, [['retention.ms', set, '5']]);
      await pair.ask('IncrementalAlterConfigs', {
        resources: [topic, topic].map((resourceName) => ({
          resourceType: kinds.topic,
          resourceName,
          configs: [{ name: 'retention.ms', configOperation: set, value: '7' }],
        })),
        validateOnly: false,
      });
    },
  },
  {
    name: 'configs of groups, brokers and client metrics are changed',
    api: 'IncrementalAlterConfigs',
    async run(pair) {
      const name = `${pair.prefix}-entity`;
      for (const [kind, config, value] of [
        [kinds.group, 'consumer.session.timeout.ms', '50000'],
        [kinds.group, 'share.auto.offset.reset', 'by_duration:PT1H'],
        [kinds.group, 'share.auto.offset.reset', 'by_duration:soon'],
        [kinds.group, 'share.record.lock.duration.ms', '20000'],
        [kinds.group, 'streams.num.standby.replicas', '1'],
        [kinds.group, 'consumer.session.timeout.ms', '1'],
        [kinds.group, 'consumer.session.timeout.ms', 'long'],
        [kinds.group, 'no.such.config', '1'],
        [kinds.clientMetrics, 'interval.ms', '60000'],
        [kinds.clientMetrics, 'metrics', 'org.apache.kafka.producer'],
        [kinds.clientMetrics, 'match', 'client_id=a.*'],
        [kinds.clientMetrics, 'match', 'nonsense=a'],
        [kinds.clientMetrics, 'interval.ms', '1'],
        [kinds.clientMetrics, 'no.such.config', '1'],
      ] as const) {
        await change(pair, kind, name, [[config, set, value]]);
        await describe(pair, kind, name, [config]);
      }
      for (const kind of [kinds.group, kinds.clientMetrics]) {
        await change(pair, kind, '', [['interval.ms', set, '60000']]);
        await describe(pair, kind, name, null);
        await describe(pair, kind, `${name}-absent`, null);
        await describe(pair, kind, '', null);
      }
      await change(pair, kinds.clientMetrics, name, [
        ['interval.ms', remove, null],
        ['metrics', remove, null],
        ['match', remove, null],
      ]);
      for (const broker of ['', '99', 'one', '-1']) {
        await change(pair, kinds.broker, broker, [['log.cleaner.threads', set, '2']], true);
        await describe(pair, kinds.broker, broker, ['log.cleaner.threads']);
      }
      await pair.ask('IncrementalAlterConfigs', (side) => ({
        resources: [
          {
            resourceType: kinds.broker,
            resourceName: String(side.nodeId),
            configs: [{ name: 'log.cleaner.threads', configOperation: set, value: '0' }],
          },
        ],
        validateOnly: true,
      }));
    },
  },
  {
    name: 'configs of topics are replaced',
    api: 'AlterConfigs',
    async run(pair) {
      const topic = await pair.topic('configured', 1, { 'retention.ms': '60000' });
      const to = (
        resourceName: string,
        configs: readonly { name: string; value: string | null }[],
        validateOnly = false,
      ) =>
        pair.ask('AlterConfigs', {
          resources: [{ resourceType: kinds.topic, resourceName, configs }],
          validateOnly,
        });
      await to(topic, [{ name: 'cleanup.policy', value: 'compact' }], true);
      await to(topic, [{ name: 'cleanup.policy', value: 'compact' }]);
      await describe(pair, kinds.topic, topic, ['retention.ms', 'cleanup.policy']);
      await to(topic, [{ name: 'cleanup.policy', value: null }]);
      await to(topic, [{ name: 'cleanup.policy', value: 'keep' }]);
      await to(topic, [{ name: 'no.such.config', value: '1' }]);
      await to(topic, []);
      await describe(pair, kinds.topic, topic, ['retention.ms', 'cleanup.policy']);
      await to(`${pair.prefix}-absent`, []);
      await to('', []);
    },
  },
  {
    name: 'configs are described',
    api: 'DescribeConfigs',
    async run(pair) {
      const topic = await pair.topic('described', 1, { 'max.message.bytes': '12345' });
      const described = (more: object) =>
        pair.ask('DescribeConfigs', {
          resources: [{ resourceType: kinds.topic, resourceName: topic, configurationKeys: null }],
          ...more,
        });
      await described({});
      await described({ includeSynonyms: true });
      await described({ includeDocumentation: true });
      await describe(pair, kinds.topic, topic, []);
      await describe(pair, kinds.topic, topic, ['max.message.bytes', 'no.such.config']);
      await describe(pair, kinds.topic, `${pair.prefix}-absent`, null);
      await describe(pair, kinds.topic, '', null);
      await describe(pair, kinds.topic, 'a b', null);
      for (const kind of [0, 1, 3, 99]) await describe(pair, kind, topic, null);
      await pair.ask('DescribeConfigs', (side) => ({
        resources: [
          {
            resourceType: kinds.broker,
            resourceName: String(side.nodeId),
            configurationKeys: [
              'log.retention.ms',
              'num.partitions',
              'auto.create.topics.enable',
              'message.max.bytes',
            ],
          },
        ],
        includeSynonyms: true,
      }));
    },
  },
  {
    name: 'resources that have configs',
    api: 'ListConfigResources',
    async run(pair) {
      const name = `${pair.prefix}-metrics`;
      await change(pair, kinds.clientMetrics, name, [['interval.ms', set, '60000']]);
      for (const resourceTypes of [[], [kinds.clientMetrics], [kinds.group], [kinds.topic], [1], [99]]) {
        await pair.ask('ListConfigResources', { resourceTypes });
      }
      await change(pair, kinds.clientMetrics, name, [['interval.ms', remove, null]]);
    },
  },
  {
    name: 'the cluster is described',
    api: 'DescribeCluster',
    async run(pair) {
      await pair.ask('DescribeCluster', { includeClusterAuthorizedOperations: false });
      await pair.ask('DescribeCluster', { includeClusterAuthorizedOperations: true });
      for (const endpointType of [1, 2, 0, 9]) {
        await pair.ask('DescribeCluster', { includeClusterAuthorizedOperations: false, endpointType });
      }
      await pair.ask('DescribeCluster', {
        includeClusterAuthorizedOperations: false,
        includeFencedBrokers: true,
      });
    },
  },
  {
    name: 'versions and features',
    api: 'ApiVersions',
    async run(pair) {
      await pair.ask('ApiVersions', { clientSoftwareName: 'a', clientSoftwareVersion: '1' });
      await pair.ask('ApiVersions', { clientSoftwareName: '', clientSoftwareVersion: '1' });
      await pair.ask('ApiVersions', { clientSoftwareName: 'a b', clientSoftwareVersion: '1' });
      await pair.ask('ApiVersions', { clientSoftwareName: 'a', clientSoftwareVersion: '?' });
    },
  },
  {
    name: 'features cannot be changed at will',
    api: 'UpdateFeatures',
    async run(pair) {
      for (const [feature, maxVersionLevel, upgradeType] of [
        ['no.such.feature', 1, 1],
        ['share.version', 1, 1],
        ['share.version', 9, 1],
        ['group.version', 1, 1],
        ['transaction.version', 2, 1],
        ['streams.version', 1, 1],
        ['metadata.version', 99, 1],
        ['group.version', -1, 1],
        ['group.version', 1, 9],
        ['', 1, 1],
      ] as const) {
        await pair.ask('UpdateFeatures', (_, version) => ({
          featureUpdates: [{ feature, maxVersionLevel, ...(version > 0 && { upgradeType }) }],
          ...(version > 0 && { validateOnly: true }),
        }));
      }
    },
  },
  {
    name: 'the quorum is described',
    api: 'DescribeQuorum',
    async run(pair) {
      for (const [topicName, partitionIndex] of [
        ['__cluster_metadata', 0],
        ['__cluster_metadata', 1],
        ['other', 0],
      ] as const) {
        await pair.ask('DescribeQuorum', { topics: [{ topicName, partitions: [{ partitionIndex }] }] });
      }
      await pair.ask('DescribeQuorum', { topics: [] });
    },
  },
  {
    name: 'unknown voters and brokers',
    api: 'AddRaftVoter',
    async run(pair) {
      await pair.ask('AddRaftVoter', {
        clusterId: null,
        timeoutMs: 1_000,
        voterId: 77,
        voterDirectoryId: Buffer.alloc(16, 9).toString('base64url'),
        listeners: [],
      });
      await pair.ask('AddRaftVoter', {
        clusterId: 'another',
        timeoutMs: 1_000,
        voterId: 77,
        voterDirectoryId: Buffer.alloc(16, 9).toString('base64url'),
        listeners: [{ name: 'CONTROLLER', host: '127.0.0.1', port: 1 }],
      });
    },
  },
  {
    name: 'a voter that nobody knows',
    api: 'RemoveRaftVoter',
    async run(pair) {
      for (const clusterId of [null, 'another']) {
        await pair.ask('RemoveRaftVoter', { clusterId, voterId: 77, voterDirectoryId: zeroUuid });
      }
    },
  },
  {
    name: 'a broker that nobody knows',
    api: 'UnregisterBroker',
    async run(pair) {
      for (const brokerId of [77, -1]) await pair.ask('UnregisterBroker', { brokerId });
    },
  },
  {
    name: 'leaders are elected',
    api: 'ElectLeaders',
    async run(pair) {
      const topic = await pair.topic('elected', 2);
      for (const electionType of [0, 1, 2, -1]) {
        for (const [name, partitions] of [
          [topic, [0, 1]],
          [topic, [7]],
          [`${pair.prefix}-absent`, [0]],
        ] as const) {
          await pair.ask('ElectLeaders', (_, version) => ({
            ...(version > 0 && { electionType }),
            topicPartitions: [{ topic: name, partitions }],
          }));
        }
      }
      await pair.ask('ElectLeaders', { topicPartitions: [] });
    },
  },
  {
    name: 'replicas that stay where they are',
    api: 'AlterPartitionReassignments',
    async run(pair) {
      const topic = await pair.topic('moved', 2);
      const move = (
        name: string,
        partitionIndex: number,
        replicas: (nodeId: number) => readonly number[] | null,
      ) =>
        pair.ask('AlterPartitionReassignments', (side) => ({
          topics: [{ name, partitions: [{ partitionIndex, replicas: replicas(side.nodeId) }] }],
        }));
      await move(topic, 0, (nodeId) => [nodeId]);
      await move(topic, 0, () => null);
      await move(topic, 0, () => []);
      await move(topic, 0, () => [77]);
      await move(topic, 0, (nodeId) => [nodeId, nodeId]);
      await move(topic, 7, (nodeId) => [nodeId]);
      await move(`${pair.prefix}-absent`, 0, (nodeId) => [nodeId]);
      await pair.ask('AlterPartitionReassignments', { topics: [] });
      await pair.ask('ListPartitionReassignments', { topics: null });
    },
  },
  {
    name: 'reassignments are listed',
    api: 'ListPartitionReassignments',
    async run(pair) {
      const topic = await pair.topic('listed');
      await pair.ask('ListPartitionReassignments', { topics: null });
      await pair.ask('ListPartitionReassignments', { topics: [{ name: topic, partitionIndexes: [0, 7] }] });
      await pair.ask('ListPartitionReassignments', {
        topics: [{ name: `${pair.prefix}-absent`, partitionIndexes: [0] }],
      });
      await pair.ask('ListPartitionReassignments', { topics: [] });
    },
  },
  {
    name: 'log dirs are described',
    api: 'DescribeLogDirs',
    async run(pair) {
      const topic = await pair.topic('measured', 2);
      await pair.ask('DescribeLogDirs', { topics: [{ topic, partitions: [0, 1] }] });
      await pair.ask('DescribeLogDirs', { topics: [{ topic, partitions: [7] }] });
      await pair.ask('DescribeLogDirs', { topics: [{ topic: `${pair.prefix}-absent`, partitions: [0] }] });
      await pair.ask('DescribeLogDirs', { topics: [] });
    },
  },
  {
    name: 'log dirs do not change',
    api: 'AlterReplicaLogDirs',
    async run(pair) {
      const topic = await pair.topic('moved');
      const move = (path: string, name: string, partitions: readonly number[]) =>
        pair.ask('AlterReplicaLogDirs', { dirs: [{ path, topics: [{ name, partitions }] }] });
      await move('/no/such/dir', topic, [0]);
      await move('relative', topic, [0]);
      await move('/no/such/dir', `${pair.prefix}-absent`, [0]);
      await pair.ask('AlterReplicaLogDirs', { dirs: [] });
    },
  },
  {
    name: 'metrics of clients',
    api: 'GetTelemetrySubscriptions',
    async run(pair) {
      await pair.ask('GetTelemetrySubscriptions', { clientInstanceId: zeroUuid });
      const clientInstanceId = Buffer.alloc(16, 5).toString('base64url');
      await pair.ask('GetTelemetrySubscriptions', { clientInstanceId });
    },
  },
  {
    name: 'metrics that nobody asked for',
    api: 'PushTelemetry',
    async run(pair) {
      const push = (clientInstanceId: string, compressionType = 0, metrics = Buffer.alloc(0)) =>
        pair.ask('PushTelemetry', {
          clientInstanceId,
          subscriptionId: 5,
          terminating: false,
          compressionType,
          metrics,
        });
      await push(zeroUuid);
      await push(Buffer.alloc(16, 6).toString('base64url'));
      await push(Buffer.alloc(16, 7).toString('base64url'), 9);
    },
  },
];
