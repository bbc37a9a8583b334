import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestBody, ResponseBody, ServedApi } from '@weir/broker/testing';
import {
  answered,
  batchOf,
  errorName,
  type LeaderAgent,
  record,
  startLeaderAgent,
  TransactionalProducer,
} from '@weir/broker/testing';
import { operationBits } from '@weir/core';
import { until } from '@weir/core/testing';
import { buildRecordBatch, type ErrorName, zeroUuid } from '@weir/wire';
import fc from 'fast-check';
import { type Permit, ScriptedAccess } from '../../testing/scripted-access.ts';
import { type Access, fullAccess } from '../access.ts';

/**
 * Topics `mine` and `theirs` with a record each, a share group `g`, and transactions `tx` and `their-tx` that are open
 * on both topics. The topics `nowhere` and `missing` do not exist.
 */
interface World extends AsyncDisposable {
  readonly agent: LeaderAgent;
  readonly id: { readonly mine: string; readonly theirs: string; readonly nowhere: string };
  readonly producer: TransactionalProducer;
  /** Permits only the listed operations from now on. */
  permit(...permits: Permit[]): ScriptedAccess;
}

async function prepare(): Promise<World> {
  let access: Access = fullAccess();
  const agent = await startLeaderAgent({}, { accessOf: () => access });
  const mine = (await agent.addTopic('mine')).topicId;
  const theirs = (await agent.addTopic('theirs')).topicId;
  for (const name of ['mine', 'theirs']) {
    answered(await agent.call('Produce', 9, produceOf({ name, records: batchOf(['record']) })));
  }
  await until(() => agent.view.ends(mine, 0)?.nextOffset === 1);
  await until(() => agent.view.ends(theirs, 0)?.nextOffset === 1);
  const producer = await inTransaction(agent, 'tx');
  await inTransaction(agent, 'their-tx');
  const changes = [{ name: 'share.auto.offset.reset', operation: 'set', value: 'earliest' }] as const;
  await agent.node.alterConfigs([{ kind: 'group', name: 'g', replacesAll: false, changes }], {
    validateOnly: false,
  });
  return {
    agent,
    producer,
    id: { mine, theirs, nowhere: Buffer.alloc(16, 9).toString('base64url') },
    permit(...permits) {
      const scripted = new ScriptedAccess(permits);
      access = scripted;
      return scripted;
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

async function inTransaction(agent: LeaderAgent, transactionalId: string): Promise<TransactionalProducer> {
  const producer = new TransactionalProducer(agent, transactionalId, 'announcing');
  assert.equal(await producer.init(), 'NONE');
  assert.deepEqual(await producer.addPartitions('mine', 0), ['NONE']);
  assert.deepEqual(await producer.addPartitions('theirs', 0), ['NONE']);
  return producer;
}

/** The result in the response, per entity. */
type Summary = Readonly<Record<string, unknown>>;

interface Row {
  readonly title: string;
  readonly permits: readonly Permit[];
  /** Denials that are logged; quiet checks are not. */
  readonly logged: readonly string[];
  readonly expected: Summary | string;
  readonly ask: (world: World) => Promise<Summary | string>;
  /** Asserts the state of the cluster afterwards. */
  readonly after: ((world: World) => void | Promise<void>) | undefined;
}

interface RowOf<Name extends ServedApi> {
  readonly version: number;
  readonly permits: readonly Permit[];
  readonly request: (world: World) => RequestBody<Name>;
  readonly summarize: (answer: ResponseBody<Name>, world: World) => Summary;
  readonly expected: Summary | string;
  readonly logged?: readonly string[];
  readonly after?: (world: World) => void | Promise<void>;
}

function row<Name extends ServedApi>(name: Name, note: string, fields: RowOf<Name>): Row {
  const { version, permits, request, summarize, expected, logged = [], after } = fields;
  return {
    title: `${name} v${version}: ${note}`,
    permits,
    logged,
    expected,
    after,
    async ask(world) {
      const answer = await world.agent.call(name, version, request(world));
      return typeof answer === 'string' ? answer : summarize(answer, world);
    },
  };
}

/** Errors of partitions by topic name; a denied topic has one error for all of them. */
const byTopic = (entries: readonly { readonly name: string; readonly codes: readonly number[] }[]): Summary =>
  Object.fromEntries(
    entries.map(({ name, codes }) => [name, [...new Set(codes)].map(errorName).join(' ')] as const),
  );

const nameOf = (id: string, { id: ids }: World): string =>
  Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id;

interface ToProduce {
  readonly name?: string;
  readonly topicId?: string;
  readonly records: Buffer;
}

function produceOf(
  topic: ToProduce | readonly ToProduce[],
  transactionalId: string | null = null,
  acks = -1,
) {
  const topics: readonly ToProduce[] = Array.isArray(topic) ? topic : [topic];
  return {
    transactionalId,
    acks,
    timeoutMs: 30_000,
    topicData: topics.map(({ name = '', topicId = zeroUuid, records }) => ({
      name,
      topicId,
      partitionData: [{ index: 0, records: [records] }],
    })),
  };
}

const producedByName = ({ responses }: ResponseBody<'Produce'>): Summary =>
  byTopic(
    responses.map(({ name, partitionResponses }) => ({
      name,
      codes: partitionResponses.map(({ errorCode }) => errorCode),
    })),
  );

const producedById = ({ responses }: ResponseBody<'Produce'>, world: World): Summary =>
  byTopic(
    responses.map(({ topicId, partitionResponses }) => ({
      name: nameOf(topicId, world),
      codes: partitionResponses.map(({ errorCode }) => errorCode),
    })),
  );

const transactional = ({ producerId, producerEpoch }: TransactionalProducer) =>
  buildRecordBatch([record('in a transaction')], {
    producerId,
    producerEpoch,
    baseSequence: 0,
    isTransactional: true,
  });

const nothingWritten = async ({ agent, id }: World) => {
  const [ends] = await agent.node.findBatches([{ topicId: id.theirs, partition: 0, offset: 0, bytesMax: 1 }]);
  assert.equal(ends!.nextOffset, 1);
};

const produceRows = [
  row('Produce', 'each topic separately, whether it exists or not', {
    version: 9,
    permits: ['WRITE TOPIC mine', 'WRITE TOPIC missing'],
    request: () =>
      produceOf(['mine', 'theirs', 'nowhere', 'missing'].map((name) => ({ name, records: batchOf(['x']) }))),
    summarize: producedByName,
    expected: {
      mine: 'NONE',
      theirs: 'TOPIC_AUTHORIZATION_FAILED',
      nowhere: 'TOPIC_AUTHORIZATION_FAILED',
      missing: 'UNKNOWN_TOPIC_OR_PARTITION',
    },
    logged: ['WRITE TOPIC theirs', 'WRITE TOPIC nowhere'],
    after: nothingWritten,
  }),
  row('Produce', 'by id', {
    version: 13,
    permits: ['WRITE TOPIC mine'],
    request: ({ id }) =>
      produceOf(Object.values(id).map((topicId) => ({ topicId, records: batchOf(['x']) }))),
    summarize: producedById,
    expected: { mine: 'NONE', theirs: 'TOPIC_AUTHORIZATION_FAILED', nowhere: 'UNKNOWN_TOPIC_ID' },
    logged: ['WRITE TOPIC theirs'],
    after: nothingWritten,
  }),
  row('Produce', 'READ does not permit writes, and a denial precedes invalid acks', {
    version: 9,
    permits: ['READ TOPIC theirs', 'DESCRIBE TOPIC theirs', 'WRITE TOPIC mine'],
    request: () =>
      produceOf(
        ['mine', 'theirs'].map((name) => ({ name, records: batchOf(['x']) })),
        null,
        2,
      ),
    summarize: producedByName,
    expected: { mine: 'INVALID_REQUIRED_ACKS', theirs: 'TOPIC_AUTHORIZATION_FAILED' },
    logged: ['WRITE TOPIC theirs'],
  }),
  row('Produce', 'with acks 0 a denial closes the connection', {
    version: 9,
    permits: ['WRITE TOPIC mine'],
    request: () =>
      produceOf(
        ['mine', 'theirs'].map((name) => ({ name, records: batchOf(['x']) })),
        null,
        0,
      ),
    summarize: producedByName,
    expected: 'close',
    logged: ['WRITE TOPIC theirs'],
    after: nothingWritten,
  }),
  row('Produce', 'a permitted request with acks 0', {
    version: 9,
    permits: ['WRITE TOPIC mine'],
    request: () => produceOf({ name: 'mine', records: batchOf(['x']) }, null, 0),
    summarize: producedByName,
    expected: 'noReply',
  }),
  row('Produce', 'a transaction of another principal fails the whole request', {
    version: 9,
    permits: ['WRITE TOPIC mine', 'WRITE TOPIC theirs'],
    request: ({ producer }) =>
      produceOf(
        [
          { name: 'theirs', records: batchOf(['x']) },
          { name: 'mine', records: transactional(producer) },
        ],
        'tx',
      ),
    summarize: producedByName,
    expected: {
      theirs: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      mine: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
    },
    logged: ['WRITE TRANSACTIONAL_ID tx'],
    after: nothingWritten,
  }),
  row('Produce', 'the transaction is checked before its topics', {
    version: 9,
    permits: [],
    request: ({ producer }) => produceOf({ name: 'theirs', records: transactional(producer) }, 'tx'),
    summarize: producedByName,
    expected: { theirs: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED' },
    logged: ['WRITE TRANSACTIONAL_ID tx'],
  }),
  row('Produce', 'a permitted transaction', {
    version: 9,
    permits: ['WRITE TRANSACTIONAL_ID tx', 'WRITE TOPIC mine'],
    request: ({ producer }) =>
      produceOf(
        ['mine', 'theirs'].map((name) => ({ name, records: transactional(producer) })),
        'tx',
      ),
    summarize: producedByName,
    expected: { mine: 'NONE', theirs: 'TOPIC_AUTHORIZATION_FAILED' },
    logged: ['WRITE TOPIC theirs'],
  }),
  row('Produce', 'a transactional id without a transactional batch is not checked', {
    version: 9,
    permits: ['WRITE TOPIC mine'],
    request: () => produceOf({ name: 'mine', records: batchOf(['x']) }, 'their-tx'),
    summarize: producedByName,
    expected: { mine: 'NONE' },
  }),
];

const wanted = [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1 << 20 }];

function fetchOf(topics: readonly { readonly topic?: string; readonly topicId?: string }[]) {
  return {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 1 << 20,
    isolationLevel: 0,
    topics: topics.map((topic) => ({ ...topic, partitions: wanted })),
  };
}

type FetchedTopic = ResponseBody<'Fetch'>['responses'][number];

const fetched =
  (nameOfTopic: (topic: FetchedTopic, world: World) => string) =>
  ({ responses }: ResponseBody<'Fetch'>, world: World): Summary =>
    Object.fromEntries(
      responses.map((topic) => {
        const { errorCode, records, highWatermark } = topic.partitions[0]!;
        const hasRecords = (records?.length ?? 0) > 0;
        return [
          nameOfTopic(topic, world),
          `${errorName(errorCode)}, ${hasRecords ? 'records' : 'no records'}, end ${highWatermark}`,
        ];
      }),
    );

const denied = 'TOPIC_AUTHORIZATION_FAILED, no records, end -1';

const fetchRows = [
  row('Fetch', 'each topic separately, whether it exists or not', {
    version: 12,
    permits: ['READ TOPIC mine', 'READ TOPIC missing'],
    request: () => fetchOf(['mine', 'theirs', 'nowhere', 'missing'].map((topic) => ({ topic }))),
    summarize: fetched(({ topic }) => topic),
    expected: {
      mine: 'NONE, records, end 1',
      theirs: denied,
      nowhere: denied,
      missing: 'INVALID_TOPIC_EXCEPTION, no records, end -1',
    },
    logged: ['READ TOPIC theirs', 'READ TOPIC nowhere'],
  }),
  row('Fetch', 'by id; DESCRIBE and WRITE do not permit reads', {
    version: 13,
    permits: ['READ TOPIC mine', 'DESCRIBE TOPIC theirs', 'WRITE TOPIC theirs'],
    request: ({ id }) => fetchOf(Object.values(id).map((topicId) => ({ topicId }))),
    summarize: fetched(({ topicId }, world) => nameOf(topicId, world)),
    expected: {
      mine: 'NONE, records, end 1',
      theirs: denied,
      nowhere: 'UNKNOWN_TOPIC_ID, no records, end -1',
    },
    logged: ['READ TOPIC theirs'],
  }),
];

const names = ['mine', 'theirs', 'nowhere', 'missing'] as const;
/** Results by name if the client has DESCRIBE, or the operation that is required, on `mine` and `missing`. */
const deniedByName = {
  mine: 'NONE',
  theirs: 'TOPIC_AUTHORIZATION_FAILED',
  nowhere: 'TOPIC_AUTHORIZATION_FAILED',
  missing: 'UNKNOWN_TOPIC_OR_PARTITION',
};

const listed = ({ topics }: ResponseBody<'ListOffsets'>): Summary =>
  byTopic(
    topics.map(({ name, partitions }) => ({ name, codes: partitions.map(({ errorCode }) => errorCode) })),
  );

const epochs = ({ topics }: ResponseBody<'OffsetForLeaderEpoch'>): Summary =>
  byTopic(
    topics.map(({ topic, partitions }) => ({
      name: topic,
      codes: partitions.map(({ errorCode }) => errorCode),
    })),
  );

const offsetRows = [
  row('ListOffsets', 'each topic separately', {
    version: 7,
    permits: ['DESCRIBE TOPIC mine', 'DESCRIBE TOPIC missing'],
    request: () => ({
      replicaId: -1,
      topics: names.map((name) => ({ name, partitions: [{ partitionIndex: 0, timestamp: -1n }] })),
    }),
    summarize: listed,
    expected: deniedByName,
    logged: ['DESCRIBE TOPIC theirs', 'DESCRIBE TOPIC nowhere'],
  }),
  row('ListOffsets', 'a denial precedes other errors', {
    version: 7,
    permits: [],
    request: () => ({
      replicaId: -1,
      topics: [
        {
          name: 'theirs',
          partitions: [0, 0, 5].map((partitionIndex) => ({ partitionIndex, timestamp: -99n })),
        },
      ],
    }),
    summarize: listed,
    expected: { theirs: 'TOPIC_AUTHORIZATION_FAILED' },
    logged: ['DESCRIBE TOPIC theirs'],
  }),
  row('OffsetForLeaderEpoch', 'each topic separately', {
    version: 4,
    permits: ['DESCRIBE TOPIC mine', 'DESCRIBE TOPIC missing'],
    request: () => ({
      topics: names.map((topic) => ({ topic, partitions: [{ partition: 0, leaderEpoch: 0 }] })),
    }),
    summarize: epochs,
    expected: deniedByName,
    logged: ['DESCRIBE TOPIC theirs', 'DESCRIBE TOPIC nowhere'],
  }),
  row('OffsetForLeaderEpoch', 'CLUSTER_ACTION makes access to topics unnecessary', {
    version: 2,
    permits: ['CLUSTER_ACTION CLUSTER kafka-cluster'],
    request: () => ({ topics: [{ topic: 'theirs', partitions: [{ partition: 0, leaderEpoch: 0 }] }] }),
    summarize: epochs,
    expected: { theirs: 'NONE' },
  }),
  row('DeleteRecords', 'each topic separately', {
    version: 2,
    permits: ['DELETE TOPIC mine', 'DELETE TOPIC missing', 'DESCRIBE TOPIC theirs'],
    request: () => ({
      timeoutMs: 1_000,
      topics: names.map((name) => ({ name, partitions: [{ partitionIndex: 0, offset: -1n }] })),
    }),
    summarize: ({ topics }) =>
      byTopic(
        topics.map(({ name, partitions }) => ({ name, codes: partitions.map(({ errorCode }) => errorCode) })),
      ),
    expected: deniedByName,
    logged: ['DELETE TOPIC theirs', 'DELETE TOPIC nowhere'],
    after: ({ agent, id }) => {
      assert.equal(agent.view.ends(id.mine, 0)!.logStartOffset, 1);
      assert.equal(agent.view.ends(id.theirs, 0)!.logStartOffset, 0);
    },
  }),
  row('DescribeProducers', 'each topic separately', {
    version: 0,
    permits: ['READ TOPIC mine', 'READ TOPIC missing', 'DESCRIBE TOPIC theirs'],
    request: () => ({ topics: names.map((name) => ({ name, partitionIndexes: [0] })) }),
    summarize: ({ topics }) =>
      byTopic(
        topics.map(({ name, partitions }) => ({ name, codes: partitions.map(({ errorCode }) => errorCode) })),
      ),
    expected: deniedByName,
    logged: ['READ TOPIC theirs', 'READ TOPIC nowhere'],
  }),
];

const metadataTopics = (answer: ResponseBody<'Metadata'>, world: World): Summary =>
  Object.fromEntries(
    answer.topics.map(({ name, topicId, errorCode, partitions }, index) => [
      name ?? `#${index}`,
      `${errorName(errorCode)}, id ${topicId === zeroUuid ? 'zero' : nameOf(topicId, world)}, ${partitions.length}`,
    ]),
  );

const created = (...expected: string[]) => {
  return ({ agent }: World) => {
    const made = Array.from(agent.view.topics(), ({ name }) => name).filter((name) =>
      name.startsWith('new-'),
    );
    assert.deepEqual(made.sort(), expected);
  };
};

const metadataRows = [
  row('Metadata', 'by name, whether it exists or not', {
    version: 12,
    permits: ['DESCRIBE TOPIC mine', 'DESCRIBE TOPIC missing'],
    request: () => ({
      topics: [...names, 'no name'].map((name) => ({ name, topicId: zeroUuid })),
      allowAutoTopicCreation: false,
    }),
    summarize: metadataTopics,
    expected: {
      mine: 'NONE, id mine, 1',
      theirs: 'TOPIC_AUTHORIZATION_FAILED, id zero, 0',
      nowhere: 'TOPIC_AUTHORIZATION_FAILED, id zero, 0',
      missing: 'UNKNOWN_TOPIC_OR_PARTITION, id zero, 0',
      'no name': 'TOPIC_AUTHORIZATION_FAILED, id zero, 0',
    },
    logged: ['DESCRIBE TOPIC theirs', 'DESCRIBE TOPIC nowhere', 'DESCRIBE TOPIC no name'],
  }),
  row('Metadata', 'by id, which does not reveal the name', {
    version: 12,
    permits: ['DESCRIBE TOPIC mine'],
    request: ({ id }) => ({
      topics: Object.values(id).map((topicId) => ({ name: null, topicId })),
      allowAutoTopicCreation: true,
    }),
    summarize: metadataTopics,
    expected: {
      mine: 'NONE, id mine, 1',
      '#1': 'TOPIC_AUTHORIZATION_FAILED, id theirs, 0',
      '#2': 'UNKNOWN_TOPIC_ID, id nowhere, 0',
    },
    logged: ['DESCRIBE TOPIC theirs'],
  }),
  ...[0, 1, 13].map((version) =>
    row('Metadata', 'a request for all topics lists the visible ones and logs no denial', {
      version,
      permits: ['DESCRIBE TOPIC mine'],
      request: () => ({ topics: version === 0 ? [] : null, allowAutoTopicCreation: true }),
      summarize: ({ topics }) => Object.fromEntries(topics.map(({ name }) => [name ?? '', 'seen'])),
      expected: { mine: 'seen' },
    }),
  ),
  row('Metadata', 'a topic is created if the client may create and describe it', {
    version: 12,
    permits: ['DESCRIBE TOPIC new-a', 'DESCRIBE TOPIC new-b', 'CREATE TOPIC new-a', 'CREATE TOPIC new-c'],
    request: () => ({
      topics: ['new-a', 'new-b', 'new-c'].map((name) => ({ name, topicId: zeroUuid })),
      allowAutoTopicCreation: true,
    }),
    summarize: ({ topics }) =>
      Object.fromEntries(topics.map(({ name, errorCode }) => [name, errorName(errorCode)])),
    expected: {
      'new-a': 'NONE',
      'new-b': 'TOPIC_AUTHORIZATION_FAILED',
      'new-c': 'TOPIC_AUTHORIZATION_FAILED',
    },
    logged: ['DESCRIBE TOPIC new-c', 'CREATE TOPIC new-b'],
    after: created('new-a'),
  }),
  row('Metadata', 'CREATE on the cluster permits any topic that the client may describe', {
    version: 12,
    permits: ['DESCRIBE TOPIC new-a', 'CREATE CLUSTER kafka-cluster'],
    request: () => ({
      topics: ['new-a', 'new-b'].map((name) => ({ name, topicId: zeroUuid })),
      allowAutoTopicCreation: true,
    }),
    summarize: ({ topics }) =>
      Object.fromEntries(topics.map(({ name, errorCode }) => [name, errorName(errorCode)])),
    expected: { 'new-a': 'NONE', 'new-b': 'TOPIC_AUTHORIZATION_FAILED' },
    logged: ['DESCRIBE TOPIC new-b'],
    after: created('new-a'),
  }),
  row('Metadata', 'without auto-creation nothing is created and CREATE is not checked', {
    version: 12,
    permits: ['DESCRIBE TOPIC new-a'],
    request: () => ({ topics: [{ name: 'new-a', topicId: zeroUuid }], allowAutoTopicCreation: false }),
    summarize: ({ topics }) =>
      Object.fromEntries(topics.map(({ name, errorCode }) => [name, errorName(errorCode)])),
    expected: { 'new-a': 'UNKNOWN_TOPIC_OR_PARTITION' },
    after: created(),
  }),
  row('Metadata', 'authorized operations', {
    version: 10,
    permits: ['DESCRIBE TOPIC mine', 'WRITE TOPIC mine', 'DESCRIBE CLUSTER kafka-cluster'],
    request: () => ({
      topics: [
        { name: 'mine', topicId: zeroUuid },
        { name: 'theirs', topicId: zeroUuid },
      ],
      allowAutoTopicCreation: false,
      includeTopicAuthorizedOperations: true,
      includeClusterAuthorizedOperations: true,
    }),
    summarize: ({ topics, clusterAuthorizedOperations }) => ({
      cluster: clusterAuthorizedOperations,
      mine: topics[0]!.topicAuthorizedOperations,
      theirs: topics[1]!.topicAuthorizedOperations,
    }),
    expected: {
      cluster: operationBits(['DESCRIBE']),
      mine: operationBits(['DESCRIBE', 'WRITE']),
      theirs: -2147483648,
    },
    logged: ['DESCRIBE TOPIC theirs'],
  }),
  row('Metadata', 'without DESCRIBE on the cluster its operations are hidden', {
    version: 10,
    permits: ['CREATE CLUSTER kafka-cluster'],
    request: () => ({
      topics: [],
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: true,
    }),
    summarize: ({ clusterAuthorizedOperations }) => ({ cluster: clusterAuthorizedOperations }),
    expected: { cluster: 0 },
    logged: ['DESCRIBE CLUSTER kafka-cluster'],
  }),
];

const described = ({ topics, nextCursor }: ResponseBody<'DescribeTopicPartitions'>): Summary => ({
  ...Object.fromEntries(
    topics.map(({ name, errorCode, topicAuthorizedOperations: operations }) => [
      name ?? '',
      errorCode === 0 ? operations : errorName(errorCode),
    ]),
  ),
  ...(nextCursor === null ? {} : { next: nextCursor.topicName }),
});

const describeRows = [
  row('DescribeTopicPartitions', 'by name, whether it exists or not', {
    version: 0,
    permits: ['DESCRIBE TOPIC mine', 'DESCRIBE TOPIC missing'],
    request: () => ({
      topics: names.map((name) => ({ name })),
      responsePartitionLimit: 100,
      cursor: null,
    }),
    summarize: described,
    expected: { ...deniedByName, mine: operationBits(['DESCRIBE']) },
    // Checked in the order of names.
    logged: ['DESCRIBE TOPIC nowhere', 'DESCRIBE TOPIC theirs'],
  }),
  row('DescribeTopicPartitions', 'a request for all topics lists the visible ones', {
    version: 0,
    permits: ['DESCRIBE TOPIC theirs', 'READ TOPIC theirs'],
    request: () => ({ topics: [], responsePartitionLimit: 100, cursor: null }),
    summarize: described,
    expected: { theirs: operationBits(['DESCRIBE', 'READ']) },
  }),
  row('DescribeTopicPartitions', 'a cursor never names a hidden topic', {
    version: 0,
    permits: ['DESCRIBE TOPIC mine'],
    request: () => ({ topics: [], responsePartitionLimit: 1, cursor: null }),
    summarize: described,
    expected: { mine: operationBits(['DESCRIBE']) },
  }),
];

const named = (entries: readonly { readonly name: string | null; readonly errorCode: number }[]): Summary =>
  Object.fromEntries(entries.map(({ name, errorCode }) => [name ?? '', errorName(errorCode)]));

const toCreate = (...topics: string[]) => ({
  timeoutMs: 1_000,
  topics: topics.map((name) => ({
    name,
    numPartitions: 2,
    replicationFactor: -1,
    assignments: [],
    configs: [{ name: 'retention.ms', value: '1000' }],
  })),
});

const topicRows = [
  row('CreateTopics', 'each topic separately', {
    version: 7,
    permits: ['CREATE TOPIC new-a', 'CREATE TOPIC mine'],
    request: () => toCreate('new-a', 'new-b', 'mine', 'theirs'),
    summarize: ({ topics }) => named(topics),
    expected: {
      'new-a': 'NONE',
      'new-b': 'TOPIC_AUTHORIZATION_FAILED',
      mine: 'TOPIC_ALREADY_EXISTS',
      theirs: 'TOPIC_AUTHORIZATION_FAILED',
    },
    logged: ['CREATE TOPIC new-b', 'CREATE TOPIC theirs'],
    after: created('new-a'),
  }),
  row('CreateTopics', 'CREATE on the cluster makes CREATE on topics unnecessary', {
    version: 2,
    permits: ['CREATE CLUSTER kafka-cluster'],
    request: () => toCreate('new-a', 'new-b'),
    summarize: ({ topics }) => named(topics),
    expected: { 'new-a': 'NONE', 'new-b': 'NONE' },
    after: created('new-a', 'new-b'),
  }),
  row('CreateTopics', 'a denial precedes errors of a topic, but not a repeated name', {
    version: 7,
    permits: [],
    request: () => {
      const { timeoutMs, topics } = toCreate('new-a', 'new-b', 'new-b');
      return { timeoutMs, topics: topics.map((topic) => ({ ...topic, numPartitions: 0 })) };
    },
    summarize: ({ topics }) => named(topics),
    expected: { 'new-a': 'TOPIC_AUTHORIZATION_FAILED', 'new-b': 'INVALID_REQUEST' },
    logged: ['CREATE TOPIC new-a'],
    after: created(),
  }),
  row('CreateTopics', 'configs and counts need DESCRIBE_CONFIGS', {
    version: 7,
    permits: ['CREATE CLUSTER kafka-cluster', 'DESCRIBE_CONFIGS TOPIC new-a'],
    request: () => toCreate('new-a', 'new-b'),
    summarize: ({ topics }) =>
      Object.fromEntries(
        topics.map(({ name, numPartitions, replicationFactor, configs, topicConfigErrorCode }) => [
          name,
          [
            ...[numPartitions, replicationFactor, configs?.some(({ name: one }) => one === 'retention.ms')],
            errorName(topicConfigErrorCode),
          ].join(' '),
        ]),
      ),
    expected: { 'new-a': '2 3 true NONE', 'new-b': '-1 -1 false TOPIC_AUTHORIZATION_FAILED' },
    after: created('new-a', 'new-b'),
  }),
  row('CreatePartitions', 'each topic separately', {
    version: 3,
    permits: ['ALTER TOPIC mine', 'ALTER TOPIC missing', 'CREATE TOPIC theirs'],
    request: () => ({
      topics: names.map((name) => ({ name, count: 2, assignments: null })),
      timeoutMs: 1_000,
      validateOnly: false,
    }),
    summarize: ({ results }) => named(results),
    expected: deniedByName,
    logged: ['ALTER TOPIC theirs', 'ALTER TOPIC nowhere'],
    after: ({ agent }) => {
      assert.equal(agent.view.topicByName('mine')!.partitionCount, 2);
      assert.equal(agent.view.topicByName('theirs')!.partitionCount, 1);
    },
  }),
];

const isThere =
  (...expected: string[]) =>
  async ({ agent }: World) => {
    await until(() => [...agent.view.topics()].length === expected.length);
    assert.deepEqual(Array.from(agent.view.topics(), ({ name }) => name).sort(), expected);
  };

const byNames = (...topicNames: string[]) => ({
  topics: topicNames.map((name) => ({ name, topicId: zeroUuid })),
  timeoutMs: 1_000,
});

const deletedById = (answer: ResponseBody<'DeleteTopics'>, world: World): Summary =>
  Object.fromEntries(
    answer.responses.map(({ name, topicId, errorCode }) => [
      nameOf(topicId, world),
      `${errorName(errorCode)}, name ${name}`,
    ]),
  );

const deleteRows = [
  row('DeleteTopics', 'by name, whether it exists or not', {
    version: 6,
    permits: ['DELETE TOPIC mine', 'DESCRIBE TOPIC mine', 'DELETE TOPIC missing', 'DESCRIBE TOPIC missing'],
    request: () => byNames(...names),
    summarize: ({ responses }) => named(responses),
    expected: deniedByName,
    logged: ['DESCRIBE TOPIC theirs', 'DESCRIBE TOPIC nowhere'],
    after: isThere('theirs'),
  }),
  row('DeleteTopics', 'a denied deletion of a visible topic is reported', {
    version: 5,
    permits: ['DESCRIBE TOPIC theirs', 'DESCRIBE TOPIC nowhere'],
    request: () => ({ topicNames: ['theirs', 'nowhere'], timeoutMs: 1_000 }),
    summarize: ({ responses }) => named(responses),
    expected: { theirs: 'TOPIC_AUTHORIZATION_FAILED', nowhere: 'UNKNOWN_TOPIC_OR_PARTITION' },
    logged: ['DELETE TOPIC theirs', 'DELETE TOPIC nowhere'],
    after: isThere('mine', 'theirs'),
  }),
  row('DeleteTopics', 'by id, which does not reveal the name', {
    version: 6,
    permits: ['DELETE TOPIC mine', 'DESCRIBE TOPIC mine'],
    request: ({ id }) => ({
      topics: Object.values(id).map((topicId) => ({ name: null, topicId })),
      timeoutMs: 1_000,
    }),
    summarize: deletedById,
    expected: {
      mine: 'NONE, name mine',
      theirs: 'TOPIC_AUTHORIZATION_FAILED, name null',
      nowhere: 'UNKNOWN_TOPIC_ID, name null',
    },
    logged: ['DELETE TOPIC theirs'],
    after: isThere('theirs'),
  }),
  row('DeleteTopics', 'by id, which reveals the name of a visible topic', {
    version: 6,
    permits: ['DESCRIBE TOPIC theirs'],
    request: ({ id }) => ({ topics: [{ name: null, topicId: id.theirs }], timeoutMs: 1_000 }),
    summarize: deletedById,
    expected: { theirs: 'TOPIC_AUTHORIZATION_FAILED, name theirs' },
    logged: ['DELETE TOPIC theirs'],
    after: isThere('mine', 'theirs'),
  }),
  row(
    'DeleteTopics',
    'the response reveals neither that a name and an id match nor the name of a repeated id',
    {
      version: 6,
      permits: [],
      request: ({ id }) => ({
        topics: [
          { name: 'theirs', topicId: zeroUuid },
          { name: null, topicId: id.theirs },
          { name: null, topicId: id.mine },
          { name: null, topicId: id.mine },
        ],
        timeoutMs: 1_000,
      }),
      summarize: ({ responses }) => ({
        all: responses.map(({ name, errorCode }) => `${errorName(errorCode)}, name ${name}`),
      }),
      expected: {
        all: [
          'TOPIC_AUTHORIZATION_FAILED, name theirs',
          'TOPIC_AUTHORIZATION_FAILED, name null',
          'INVALID_REQUEST, name null',
        ],
      },
      logged: ['DESCRIBE TOPIC theirs', 'DELETE TOPIC theirs', 'DELETE TOPIC mine', 'DELETE TOPIC mine'],
      after: isThere('mine', 'theirs'),
    },
  ),
  row('DeleteTopics', 'DELETE on the cluster makes DELETE on topics unnecessary', {
    version: 6,
    permits: ['DELETE CLUSTER kafka-cluster'],
    request: ({ id }) => ({
      topics: [
        { name: 'theirs', topicId: zeroUuid },
        { name: null, topicId: id.nowhere },
      ],
      timeoutMs: 1_000,
    }),
    summarize: ({ responses }) => named(responses),
    expected: { theirs: 'NONE', '': 'UNKNOWN_TOPIC_ID' },
    after: isThere('mine'),
  }),
];

const initOf = (transactionalId: string | null) => () => ({
  transactionalId,
  transactionTimeoutMs: 60_000,
  producerId: -1n,
  producerEpoch: -1,
});

const whole = ({ errorCode }: { readonly errorCode: number }): Summary => ({ all: errorName(errorCode) });

const producerRows = [
  ...(
    [
      ['a transactional id', 'tx', ['WRITE TRANSACTIONAL_ID tx'], 'NONE', []],
      [
        'a transactional id of another principal',
        'their-tx',
        ['WRITE TRANSACTIONAL_ID tx', 'DESCRIBE TRANSACTIONAL_ID their-tx', 'WRITE TOPIC mine'],
        'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
        ['WRITE TRANSACTIONAL_ID their-tx'],
      ],
      [
        'an empty transactional id',
        '',
        [],
        'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
        ['WRITE TRANSACTIONAL_ID '],
      ],
      ['no transactional id, and a topic to write to', null, ['WRITE TOPIC mine'], 'NONE', []],
      [
        'no transactional id, with IDEMPOTENT_WRITE on the cluster',
        null,
        ['IDEMPOTENT_WRITE CLUSTER kafka-cluster'],
        'NONE',
        [],
      ],
      [
        'no transactional id, and no topic to write to',
        null,
        ['READ TOPIC mine', 'WRITE TRANSACTIONAL_ID tx'],
        'CLUSTER_AUTHORIZATION_FAILED',
        ['IDEMPOTENT_WRITE CLUSTER kafka-cluster'],
      ],
    ] as [string, string | null, Permit[], ErrorName, string[]][]
  ).map(([note, transactionalId, permits, error, logged]) =>
    row('InitProducerId', note, {
      version: 5,
      permits,
      request: initOf(transactionalId),
      summarize: whole,
      expected: { all: error },
      logged,
    }),
  ),
];

const inTx = ({ producer: { transactionalId, producerId, producerEpoch } }: World) => ({
  transactionalId,
  producerId,
  producerEpoch,
});

const added = ({ resultsByTopicV3AndBelow }: ResponseBody<'AddPartitionsToTxn'>): Summary =>
  byTopic(
    resultsByTopicV3AndBelow.map(({ name, resultsByPartition }) => ({
      name,
      codes: resultsByPartition.map(({ partitionErrorCode }) => partitionErrorCode),
    })),
  );

const toAdd =
  (...topics: string[]) =>
  ({ producer }: World) => ({
    v3AndBelowTransactionalId: producer.transactionalId,
    v3AndBelowProducerId: producer.producerId,
    v3AndBelowProducerEpoch: producer.producerEpoch,
    v3AndBelowTopics: topics.map((name) => ({ name, partitions: [0] })),
  });

const committed = ({ topics }: ResponseBody<'TxnOffsetCommit'>): Summary =>
  byTopic(
    topics.map(({ name, partitions }) => ({ name, codes: partitions.map(({ errorCode }) => errorCode) })),
  );

const toCommit = (world: World) => ({
  ...inTx(world),
  groupId: 'g',
  topics: names.map((name) => ({
    name,
    partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: null }],
  })),
});

/** The same result for all four topics. */
const everywhere = (error: ErrorName): Summary => Object.fromEntries(names.map((name) => [name, error]));

const transactionRows = [
  row('AddPartitionsToTxn', 'a transaction of another principal', {
    version: 3,
    permits: ['WRITE TOPIC mine', 'DESCRIBE TRANSACTIONAL_ID tx'],
    request: toAdd('mine', 'nowhere'),
    summarize: added,
    expected: {
      mine: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      nowhere: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
    },
    logged: ['WRITE TRANSACTIONAL_ID tx'],
  }),
  row('AddPartitionsToTxn', 'one denied topic fails all', {
    version: 3,
    permits: ['WRITE TRANSACTIONAL_ID tx', 'WRITE TOPIC mine', 'WRITE TOPIC missing'],
    request: toAdd(...names),
    summarize: added,
    expected: { ...deniedByName, mine: 'OPERATION_NOT_ATTEMPTED' },
    logged: ['WRITE TOPIC theirs', 'WRITE TOPIC nowhere'],
  }),
  row('AddPartitionsToTxn', 'a permitted request', {
    version: 0,
    permits: ['WRITE TRANSACTIONAL_ID tx', 'WRITE TOPIC mine'],
    request: toAdd('mine'),
    summarize: added,
    expected: { mine: 'NONE' },
  }),
  ...(
    [
      [['READ GROUP g'], 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED', ['WRITE TRANSACTIONAL_ID tx']],
      [['WRITE TRANSACTIONAL_ID tx', 'DESCRIBE GROUP g'], 'GROUP_AUTHORIZATION_FAILED', ['READ GROUP g']],
      [['WRITE TRANSACTIONAL_ID tx', 'READ GROUP g'], 'NONE', []],
    ] as [Permit[], ErrorName, string[]][]
  ).map(([permits, error, logged]) =>
    row('AddOffsetsToTxn', `with ${permits.join(' and ')}`, {
      version: 4,
      permits,
      request: (world) => ({ ...inTx(world), groupId: 'g' }),
      summarize: whole,
      expected: { all: error },
      logged,
    }),
  ),
  row('TxnOffsetCommit', 'a transaction of another principal', {
    version: 5,
    permits: ['READ GROUP g', 'READ TOPIC mine'],
    request: toCommit,
    summarize: committed,
    expected: everywhere('TRANSACTIONAL_ID_AUTHORIZATION_FAILED'),
    logged: ['WRITE TRANSACTIONAL_ID tx'],
  }),
  row('TxnOffsetCommit', 'a group of another principal', {
    version: 5,
    permits: ['WRITE TRANSACTIONAL_ID tx', 'READ TOPIC mine'],
    request: toCommit,
    summarize: committed,
    expected: everywhere('GROUP_AUTHORIZATION_FAILED'),
    logged: ['READ GROUP g'],
  }),
  row('TxnOffsetCommit', 'each topic separately', {
    version: 5,
    permits: ['WRITE TRANSACTIONAL_ID tx', 'READ GROUP g', 'READ TOPIC mine', 'READ TOPIC missing'],
    request: toCommit,
    summarize: committed,
    expected: deniedByName,
    logged: ['READ TOPIC theirs', 'READ TOPIC nowhere'],
  }),
  row('EndTxn', 'a transaction of another principal', {
    version: 4,
    permits: ['DESCRIBE TRANSACTIONAL_ID tx'],
    request: (world) => ({ ...inTx(world), committed: true }),
    summarize: whole,
    expected: { all: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED' },
    logged: ['WRITE TRANSACTIONAL_ID tx'],
    after: async ({ agent }) => {
      const [transaction] = await agent.node.describeTransactions(['tx']);
      assert.equal(transaction!.error === 'NONE' && transaction!.state, 'Ongoing');
    },
  }),
  row('DescribeTransactions', 'each separately, with the visible topics', {
    version: 0,
    permits: ['DESCRIBE TRANSACTIONAL_ID tx', 'DESCRIBE TRANSACTIONAL_ID no-tx', 'DESCRIBE TOPIC mine'],
    request: () => ({ transactionalIds: ['their-tx', 'tx', 'nowhere-tx', 'no-tx'] }),
    summarize: ({ transactionStates }) =>
      Object.fromEntries(
        transactionStates.map(({ transactionalId, errorCode, topics }) => [
          transactionalId,
          [errorName(errorCode), ...topics.map(({ topic }) => topic)].join(' '),
        ]),
      ),
    expected: {
      'their-tx': 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      tx: 'NONE mine',
      'nowhere-tx': 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      'no-tx': 'TRANSACTIONAL_ID_NOT_FOUND',
    },
    logged: ['DESCRIBE TRANSACTIONAL_ID their-tx', 'DESCRIBE TRANSACTIONAL_ID nowhere-tx'],
  }),
  row('ListTransactions', 'only visible ones, and no denial is logged', {
    version: 1,
    permits: ['DESCRIBE TRANSACTIONAL_ID tx'],
    request: () => ({ stateFilters: [], producerIdFilters: [], durationFilter: -1n }),
    summarize: ({ errorCode, transactionStates }) => ({
      all: errorName(errorCode),
      found: transactionStates.map(({ transactionalId }) => transactionalId),
    }),
    expected: { all: 'NONE', found: ['tx'] },
  }),
];

const rows: readonly Row[] = [
  ...produceRows,
  ...fetchRows,
  ...offsetRows,
  ...metadataRows,
  ...describeRows,
  ...topicRows,
  ...deleteRows,
  ...producerRows,
  ...transactionRows,
];

for (const { title, permits, expected, logged, ask, after } of rows) {
  test(title, async () => {
    await using world = await prepare();
    const access = world.permit(...permits);
    assert.deepEqual(await ask(world), expected);
    assert.deepEqual(access.denied, logged);
    await after?.(world);
  });
}

test('EndTxn: the own transaction, over the connection that began it', async () => {
  await using world = await prepare();
  world.permit('WRITE TRANSACTIONAL_ID tx');
  assert.equal(await world.producer.end(true), 'NONE');
});

test('access is checked once per topic, however many partitions there are', async () => {
  let checks: string[] = [];
  const access: Access = {
    ...fullAccess(),
    may(operation, resourceType, name) {
      checks.push(`${operation} ${resourceType} ${name}`);
      return true;
    },
  };
  await using agent = await startLeaderAgent({}, { accessOf: () => access });
  await agent.addTopic('wide', 50);
  await agent.addTopic('other', 1);
  const partitions = Array.from({ length: 50 }, (_, index) => index);
  const partitionData = partitions.map((index) => ({ index, records: [batchOf(['x'])] }));
  const [other] = partitionData;
  await agent.call('Produce', 9, {
    ...produceOf([]),
    topicData: [
      { name: 'wide', partitionData },
      { name: 'other', partitionData: [other!] },
    ],
  });
  assert.deepEqual(checks, ['WRITE TOPIC wide', 'WRITE TOPIC other']);

  checks = [];
  const wide = partitions.map((partition) => ({ ...wanted[0]!, partition }));
  await agent.call('Fetch', 12, {
    ...fetchOf([]),
    topics: [
      { topic: 'wide', partitions: wide },
      { topic: 'other', partitions: wanted },
    ],
  });
  assert.deepEqual(checks, ['READ TOPIC wide', 'READ TOPIC other']);
});

test('the partitions of a fetch session depend on the access of each request', async () => {
  const topics = ['a', 'b', 'c'];
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.subarray(topics), { minLength: 1, maxLength: 6 }),
      async (usesIds, rounds) => {
        let access: Access = fullAccess();
        await using agent = await startLeaderAgent({}, { accessOf: () => access });
        const ids = new Map<string, string>();
        for (const name of topics) {
          const { topicId } = await agent.addTopic(name);
          ids.set(topicId, name);
          answered(await agent.call('Produce', 9, produceOf({ name, records: batchOf([name]) })));
          await until(() => agent.view.ends(topicId, 0)?.nextOffset === 1);
        }
        let sessionId = 0;
        for (const [sessionEpoch, permitted] of rounds.entries()) {
          access = new ScriptedAccess(permitted.map((name): Permit => `READ TOPIC ${name}`));
          const opened = Array.from(ids, ([topicId, topic]) => ({ topicId, topic }));
          const request = fetchOf(sessionEpoch === 0 ? opened : []);
          const answer = answered(
            await agent.call('Fetch', usesIds ? 13 : 12, { ...request, sessionId, sessionEpoch }),
          );
          sessionId = answer.sessionId;
          // The client never advances its offset, so that the records are returned in every round.
          const outcomes = answer.responses.map(({ topic, topicId, partitions: [partition] }) => {
            const name = usesIds ? ids.get(topicId)! : topic;
            const size = partition!.records?.length ?? 0;
            return [name, `${errorName(partition!.errorCode)}${size > 0 ? ' with records' : ''}`] as const;
          });
          const expected = topics.map((name) => [
            name,
            permitted.includes(name) ? 'NONE with records' : 'TOPIC_AUTHORIZATION_FAILED',
          ]);
          assert.deepEqual(Object.fromEntries(outcomes), Object.fromEntries(expected));
        }
      },
    ),
    { numRuns: 25 },
  );
});

/** Sends one ShareFetch of both topics and returns `errors and records of each`. */
async function shareFetch(
  { agent, id }: World,
  shareSessionEpoch: number,
  accepted?: { readonly topicId: string },
) {
  const answer = answered(
    await agent.call('ShareFetch', 2, {
      groupId: 'g',
      memberId: 'm',
      shareSessionEpoch,
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: 1 << 20,
      maxRecords: 500,
      batchSize: 500,
      topics: [id.mine, id.theirs].map((topicId) => ({
        topicId,
        partitions: [
          { partitionIndex: 0, acknowledgementBatches: accepted?.topicId === topicId ? firstAccepted : [] },
        ],
      })),
      forgottenTopicsData: [],
    }),
  );
  return {
    all: errorName(answer.errorCode),
    ...Object.fromEntries(
      answer.responses.map(({ topicId, partitions: [partition] }) => [
        topicId === id.mine ? 'mine' : 'theirs',
        [
          errorName(partition!.errorCode),
          errorName(partition!.acknowledgeErrorCode),
          partition!.acquiredRecords.length,
        ].join(' '),
      ]),
    ),
  };
}

const firstAccepted = [{ firstOffset: 0n, lastOffset: 0n, acknowledgeTypes: [1] }];

async function shareAcknowledge({ agent, id }: World, shareSessionEpoch: number) {
  const answer = answered(
    await agent.call('ShareAcknowledge', 2, {
      groupId: 'g',
      memberId: 'm',
      shareSessionEpoch,
      topics: [id.mine, id.theirs, id.nowhere].map((topicId) => ({
        topicId,
        partitions: [{ partitionIndex: 0, acknowledgementBatches: firstAccepted }],
      })),
    }),
  );
  return {
    all: errorName(answer.errorCode),
    topics: answer.responses.map(({ partitions: [partition] }) => errorName(partition!.errorCode)),
  };
}

async function joinShareGroup({ agent }: World): Promise<void> {
  const request = { groupId: 'g', memberId: 'm', memberEpoch: 0, subscribedTopicNames: ['mine', 'theirs'] };
  assert.equal(answered(await agent.call('ShareGroupHeartbeat', 1, request)).errorCode, 0);
}

test('ShareFetch: checks the group, then each topic of the session in every request', async () => {
  await using world = await prepare();
  await joinShareGroup(world);

  const stranger = world.permit('READ TOPIC mine', 'DESCRIBE GROUP g');
  assert.deepEqual(await shareFetch(world, 0), { all: 'GROUP_AUTHORIZATION_FAILED' });
  assert.deepEqual(stranger.denied, ['READ GROUP g']);

  const reader = world.permit('READ GROUP g', 'READ TOPIC mine');
  assert.deepEqual(await shareFetch(world, 0), {
    all: 'NONE',
    mine: 'NONE NONE 1',
    theirs: 'TOPIC_AUTHORIZATION_FAILED NONE 0',
  });
  assert.deepEqual(reader.denied, ['READ TOPIC theirs']);

  world.permit('READ GROUP g', 'READ TOPIC theirs');
  assert.deepEqual(await shareFetch(world, 1, { topicId: world.id.mine }), {
    all: 'NONE',
    mine: 'TOPIC_AUTHORIZATION_FAILED TOPIC_AUTHORIZATION_FAILED 0',
    theirs: 'NONE NONE 1',
  });

  world.permit('READ GROUP g', 'READ TOPIC mine', 'READ TOPIC theirs');
  assert.deepEqual(
    await shareFetch(world, 2, { topicId: world.id.mine }),
    { all: 'NONE', mine: 'NONE NONE 0' },
    'the member still holds the record, because its acknowledgement was refused',
  );
});

test('ShareAcknowledge: checks the group, then each topic', async () => {
  await using world = await prepare();
  await joinShareGroup(world);
  world.permit('READ GROUP g', 'READ TOPIC mine', 'READ TOPIC theirs');
  assert.deepEqual(await shareFetch(world, 0), {
    all: 'NONE',
    mine: 'NONE NONE 1',
    theirs: 'NONE NONE 1',
  });

  const stranger = world.permit('READ TOPIC mine');
  assert.deepEqual(await shareAcknowledge(world, 1), { all: 'GROUP_AUTHORIZATION_FAILED', topics: [] });
  assert.deepEqual(stranger.denied, ['READ GROUP g']);

  const reader = world.permit('READ GROUP g', 'READ TOPIC mine');
  assert.deepEqual(await shareAcknowledge(world, 1), {
    all: 'NONE',
    topics: ['NONE', 'TOPIC_AUTHORIZATION_FAILED', 'UNKNOWN_TOPIC_ID'],
  });
  assert.deepEqual(reader.denied, ['READ TOPIC theirs']);
});

test('records of a member that may no longer read are released when its session ends', async () => {
  await using world = await prepare();
  await joinShareGroup(world);
  world.permit('READ GROUP g', 'READ TOPIC theirs');
  assert.equal(((await shareFetch(world, 0)) as Summary).theirs, 'NONE NONE 1');
  world.permit('READ GROUP g');
  assert.deepEqual(await shareFetch(world, -1), { all: 'NONE' });
  world.permit('READ GROUP g', 'READ TOPIC theirs');
  assert.equal(((await shareFetch(world, 0)) as Summary).theirs, 'NONE NONE 1', 'it is delivered again');
});
