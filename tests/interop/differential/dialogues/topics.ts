import { zeroUuid } from '@weir/wire';
import { batchOf, type Dialogue, produce } from './dialogue.ts';

const noConfigs = { assignments: [], configs: [] };
/** What is no name of a topic, and what is only just one. */
const oddNames = ['', '.', '..', 'a b', 'a/b', 'ä', 'x'.repeat(250)];

/** Topics: created, widened, described and deleted. */
export const topicDialogues: readonly Dialogue[] = [
  {
    name: 'a topic is created, once',
    api: 'CreateTopics',
    async run(pair) {
      const name = `${pair.prefix}-orders`;
      const topic = { name, numPartitions: 3, replicationFactor: 1, ...noConfigs };
      await pair.ask('CreateTopics', { topics: [topic], validateOnly: true });
      await pair.ask('CreateTopics', { topics: [topic] });
      await pair.learnTopic(name);
      await pair.ask('CreateTopics', { topics: [topic] });
      await pair.ask('CreateTopics', { topics: [topic], validateOnly: true });
      await pair.ask('Metadata', { topics: [{ name }] });
    },
  },
  {
    name: 'topics are created by defaults, assignments and configs',
    api: 'CreateTopics',
    async run(pair) {
      const of = (name: string) => `${pair.prefix}-${name}`;
      await pair.ask('CreateTopics', (side) => ({
        topics: [
          { name: of('defaults'), numPartitions: -1, replicationFactor: -1, ...noConfigs },
          {
            name: of('assigned'),
            numPartitions: -1,
            replicationFactor: -1,
            assignments: [0, 1].map((partitionIndex) => ({ partitionIndex, brokerIds: [side.nodeId] })),
            configs: [],
          },
          {
            name: of('configured'),
            numPartitions: 1,
            replicationFactor: 1,
            assignments: [],
            configs: [
              { name: 'cleanup.policy', value: 'compact' },
              { name: 'retention.ms', value: '3600000' },
            ],
          },
        ],
      }));
      for (const name of ['defaults', 'assigned', 'configured']) await pair.learnTopic(of(name));
    },
  },
  {
    name: 'what cannot be created',
    api: 'CreateTopics',
    async run(pair) {
      const of = (name: string) => `${pair.prefix}-${name}`;
      const plain = { numPartitions: 1, replicationFactor: 1, ...noConfigs };
      await pair.ask('CreateTopics', { topics: oddNames.map((name) => ({ ...plain, name })) });
      await pair.ask('CreateTopics', {
        topics: [
          { ...plain, name: of('no-partitions'), numPartitions: 0 },
          { ...plain, name: of('negative'), numPartitions: -2 },
          { ...plain, name: of('no-replicas'), replicationFactor: 0 },
          { ...plain, name: of('negative-replicas'), replicationFactor: -2 },
          { ...plain, name: of('unknown-config'), configs: [{ name: 'no.such.config', value: '1' }] },
          { ...plain, name: of('bad-value'), configs: [{ name: 'retention.ms', value: 'soon' }] },
          { ...plain, name: of('null-value'), configs: [{ name: 'retention.ms', value: null }] },
          { ...plain, name: of('bad-policy'), configs: [{ name: 'cleanup.policy', value: 'keep' }] },
        ],
        validateOnly: true,
      });
      await pair.ask('CreateTopics', (side) => ({
        topics: [
          {
            ...plain,
            name: of('both'),
            assignments: [{ partitionIndex: 0, brokerIds: [side.nodeId] }],
          },
          {
            name: of('gap'),
            numPartitions: -1,
            replicationFactor: -1,
            assignments: [{ partitionIndex: 1, brokerIds: [side.nodeId] }],
            configs: [],
          },
          {
            name: of('twice-the-same'),
            numPartitions: -1,
            replicationFactor: -1,
            assignments: [{ partitionIndex: 0, brokerIds: [side.nodeId, side.nodeId] }],
            configs: [],
          },
          {
            name: of('nobody'),
            numPartitions: -1,
            replicationFactor: -1,
            assignments: [{ partitionIndex: 0, brokerIds: [] }],
            configs: [],
          },
        ],
        validateOnly: true,
      }));
      await pair.ask('CreateTopics', {
        topics: ['twice', 'twice', 'once'].map((name) => ({ ...plain, name: of(name) })),
      });
      await pair.ask('CreateTopics', {
        topics: [{ ...plain, name: '__consumer_offsets' }],
        validateOnly: true,
      });
      await pair.ask('CreateTopics', { topics: [] });
    },
  },
  {
    name: 'names that differ in a dot and an underscore',
    api: 'CreateTopics',
    async run(pair) {
      await pair.topic('a.b');
      const plain = { numPartitions: 1, replicationFactor: 1, ...noConfigs };
      await pair.ask('CreateTopics', { topics: [{ ...plain, name: `${pair.prefix}-a_b` }] });
    },
  },
  {
    name: 'topics are widened',
    api: 'CreatePartitions',
    async run(pair) {
      const topic = await pair.topic('widened', 2);
      const widen = (name: string, count: number, validateOnly = false) =>
        pair.ask('CreatePartitions', {
          topics: [{ name, count, assignments: null }],
          timeoutMs: 10_000,
          validateOnly,
        });
      await widen(topic, 4, true);
      await widen(topic, 4);
      for (const count of [4, 3, 0, -1]) await widen(topic, count);
      await widen(`${pair.prefix}-absent`, 3);
      await widen('', 3);
      await pair.ask('CreatePartitions', {
        topics: [topic, topic].map((name) => ({ name, count: 6, assignments: null })),
        timeoutMs: 10_000,
        validateOnly: false,
      });
      await pair.ask('CreatePartitions', (side) => ({
        topics: [{ name: topic, count: 6, assignments: [{ brokerIds: [side.nodeId] }] }],
        timeoutMs: 10_000,
        validateOnly: true,
      }));
      await pair.ask('CreatePartitions', (side) => ({
        topics: [{ name: topic, count: 5, assignments: [{ brokerIds: [side.nodeId] }] }],
        timeoutMs: 10_000,
        validateOnly: false,
      }));
      await pair.ask('Metadata', { topics: [{ name: topic }] });
    },
  },
  {
    name: 'metadata of topics that exist and that do not',
    api: 'Metadata',
    async run(pair) {
      const topic = await pair.topic('known', 2);
      const absent = `${pair.prefix}-absent`;
      await pair.ask('Metadata', { topics: [{ name: topic }], allowAutoTopicCreation: false });
      await pair.ask('Metadata', { topics: [{ name: absent }], allowAutoTopicCreation: false });
      await pair.ask('Metadata', { topics: [{ name: topic }, { name: topic }] });
      for (const name of oddNames) {
        await pair.ask('Metadata', { topics: [{ name }], allowAutoTopicCreation: false });
      }
      await pair.ask('Metadata', (side) => ({
        topics: [{ name: null, topicId: side.topicId(topic) }],
        allowAutoTopicCreation: false,
      }));
      await pair.ask('Metadata', {
        topics: [{ name: null, topicId: Buffer.alloc(16, 9).toString('base64url') }],
        allowAutoTopicCreation: false,
      });
      await pair.ask('Metadata', { topics: [{ name: null, topicId: zeroUuid }] });
      await pair.ask('Metadata', {
        topics: [{ name: topic }],
        includeTopicAuthorizedOperations: true,
        includeClusterAuthorizedOperations: true,
      });
      await pair.ask('Metadata', { topics: [{ name: topic }], includeTopicAuthorizedOperations: true });
    },
  },
  {
    name: 'a topic is created by asking for it',
    api: 'Metadata',
    async run(pair) {
      const name = `${pair.prefix}-by-itself`;
      await pair.ask('Metadata', { topics: [{ name }], allowAutoTopicCreation: true });
      await pair.learnTopic(name);
      await pair.ask('Metadata', { topics: [{ name }], allowAutoTopicCreation: true });
      for (const odd of oddNames) {
        await pair.ask('Metadata', { topics: [{ name: odd }], allowAutoTopicCreation: true });
      }
    },
  },
  {
    name: 'topics are described page after page',
    api: 'DescribeTopicPartitions',
    async run(pair) {
      const first = await pair.topic('first', 3);
      const second = await pair.topic('second', 2);
      const names = [first, second, `${pair.prefix}-third`].map((name) => ({ name }));
      await pair.ask('DescribeTopicPartitions', { topics: names });
      for (const responsePartitionLimit of [1, 2, 3, 4, 5, 6]) {
        await pair.ask('DescribeTopicPartitions', { topics: names, responsePartitionLimit });
      }
      for (const partitionIndex of [0, 1, 2, 9]) {
        const cursor = { topicName: first, partitionIndex };
        await pair.ask('DescribeTopicPartitions', { topics: names, responsePartitionLimit: 2, cursor });
      }
      for (const [topicName, partitionIndex] of [
        [`${first}x`, 0],
        ['', 0],
        [first, -1],
        [second, 1],
      ] as const) {
        await pair.ask('DescribeTopicPartitions', { topics: names, cursor: { topicName, partitionIndex } });
      }
      for (const responsePartitionLimit of [0, -1]) {
        await pair.ask('DescribeTopicPartitions', { topics: names, responsePartitionLimit });
      }
      await pair.ask('DescribeTopicPartitions', { topics: [{ name: first }, { name: first }] });
      await pair.ask('DescribeTopicPartitions', { topics: oddNames.map((name) => ({ name })) });
    },
  },
  {
    name: 'topics are deleted',
    api: 'DeleteTopics',
    async run(pair) {
      const [byName, byId, both] = [
        await pair.topic('by-name'),
        await pair.topic('by-id'),
        await pair.topic('both'),
      ];
      const absent = `${pair.prefix}-absent`;
      const byVersion = (names: readonly string[], version: number) =>
        version < 6 ? { topicNames: names } : { topics: names.map((name) => ({ name, topicId: zeroUuid })) };
      const remove = (...names: string[]) =>
        pair.ask('DeleteTopics', (_, version) => ({ ...byVersion(names, version), timeoutMs: 10_000 }));
      await remove(byName, absent);
      await remove(byName);
      await remove(...oddNames);
      await remove(both, both);
      await remove();
      const byIds = (...topics: { name: string | null; topicId: string }[]) =>
        pair.ask('DeleteTopics', { topics, timeoutMs: 10_000 });
      await pair.ask('DeleteTopics', (side) => ({
        topics: [{ name: byId, topicId: side.topicId(byId) }],
        timeoutMs: 10_000,
      }));
      await pair.ask('DeleteTopics', (side) => ({
        topics: [{ name: null, topicId: side.topicId(byId) }],
        timeoutMs: 10_000,
      }));
      await byIds({ name: null, topicId: Buffer.alloc(16, 9).toString('base64url') });
      await byIds({ name: null, topicId: zeroUuid });
    },
  },
  {
    name: 'records are deleted',
    api: 'DeleteRecords',
    async run(pair) {
      const topic = await pair.topic('trimmed', 2);
      await produce(pair, { topic, records: batchOf(pair, ['a', 'b', 'c', 'd']) });
      const trim = (name: string, partitionIndex: number, offset: bigint) =>
        pair.ask('DeleteRecords', {
          topics: [{ name, partitions: [{ partitionIndex, offset }] }],
          timeoutMs: 10_000,
        });
      for (const offset of [2n, 1n, 0n, 5n, -2n, -1n, 4n]) await trim(topic, 0, offset);
      await trim(topic, 1, 0n);
      await trim(topic, 2, 0n);
      await trim(topic, -1, 0n);
      await trim(`${pair.prefix}-absent`, 0, 0n);
      await trim('', 0, 0n);
    },
  },
];
