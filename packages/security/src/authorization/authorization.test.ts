import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestBody, ServedApi } from '@weir/broker/testing';
import {
  answered,
  batchOf,
  configResourceType,
  errorName,
  type LeaderAgent,
  startLeaderAgent,
  watchedPort,
} from '@weir/broker/testing';
import type { ClusterPort } from '@weir/cluster';
import { aclOperations, aclPatternTypes, aclPermissions, kafkaResourceTypes } from '@weir/core';
import { apis, type ErrorName, zeroUuid } from '@weir/wire';
import { ScriptedAccess } from '../../testing/scripted-access.ts';
import { type Access, fullAccess } from '../access.ts';

/** Names of the resources in a request. */
interface Named {
  readonly topic: string;
  readonly topicId: string;
  readonly group: string;
  readonly transactionalId: string;
  readonly user: string;
}

interface Guarded<Name extends ServedApi> {
  readonly requestOf: (named: Named, version: number) => RequestBody<Name>;
  /** All errors in the response to a client without any permission. If empty, all lists of the response are empty. */
  readonly errorNames: readonly ErrorName[];
  /** Before this version the response has no error field, and is empty. */
  readonly sentFromVersion?: number;
  /** Calls to the control plane in spite of the denial: for lists that omit what the client may not see. */
  readonly calls?: readonly (keyof ClusterPort)[];
  /**
   * From this version on, topics are addressed by id. An unknown id is reported as such: ids cannot be guessed, and a
   * client that knows one has seen the topic.
   */
  readonly idsFromVersion?: number;
}

/** An API that requires no permission, and why. */
interface Open {
  readonly needsNothing: string;
}

type Rows = { readonly [Name in ServedApi]: Guarded<Name> | Open };

const noGroup: readonly ErrorName[] = ['GROUP_AUTHORIZATION_FAILED'];
const noTopic: readonly ErrorName[] = ['TOPIC_AUTHORIZATION_FAILED'];
const noCluster: readonly ErrorName[] = ['CLUSTER_AUTHORIZATION_FAILED'];
const noTransactionalId: readonly ErrorName[] = ['TRANSACTIONAL_ID_AUTHORIZATION_FAILED'];

/** Returns the fields if the version has them. */
function since<Fields extends object>(first: number, version: number, fields: Fields): Partial<Fields> {
  return version >= first ? fields : {};
}

/** A filter for the ACLs of a topic. */
function filterOf(topic: string) {
  return {
    resourceTypeFilter: kafkaResourceTypes.TOPIC,
    resourceNameFilter: topic,
    patternTypeFilter: aclPatternTypes.LITERAL,
    principalFilter: null,
    hostFilter: null,
    operation: aclOperations.READ,
    permissionType: aclPermissions.ALLOW,
  };
}

/** One resource of every type that has configs. */
function configResources(topic: string, group: string) {
  return [
    { resourceType: configResourceType.topic, resourceName: topic },
    { resourceType: configResourceType.broker, resourceName: '' },
    { resourceType: configResourceType.brokerLogger, resourceName: '' },
    { resourceType: configResourceType.clientMetrics, resourceName: group },
    { resourceType: configResourceType.group, resourceName: group },
  ];
}

const producer = { producerId: 7n, producerEpoch: 0 };

const rows = {
  Produce: {
    requestOf: ({ topic, topicId }, version) => ({
      acks: -1,
      timeoutMs: 1000,
      topicData: [
        {
          ...(version >= 13 ? { topicId } : { name: topic }),
          partitionData: [{ index: 0, records: batchOf(['value']) }],
        },
      ],
    }),
    errorNames: noTopic,
    idsFromVersion: 13,
  },
  Fetch: {
    requestOf: ({ topic, topicId }, version) => ({
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: 1 << 20,
      topics: [
        {
          ...(version >= 13 ? { topicId } : { topic }),
          partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1 << 20 }],
        },
      ],
    }),
    errorNames: noTopic,
    idsFromVersion: 13,
  },
  ListOffsets: {
    requestOf: ({ topic }) => ({
      replicaId: -1,
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
    }),
    errorNames: noTopic,
  },
  Metadata: {
    requestOf: ({ topic }, version) => ({
      topics: [{ name: topic }],
      ...since(4, version, { allowAutoTopicCreation: true }),
    }),
    errorNames: noTopic,
  },
  OffsetCommit: {
    requestOf: ({ group, topic, topicId }, version) => ({
      groupId: group,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      topics: [
        {
          ...(version >= 10 ? { topicId } : { name: topic }),
          partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: '' }],
        },
      ],
    }),
    errorNames: noGroup,
  },
  OffsetFetch: {
    requestOf: ({ group, topic, topicId }, version) => {
      if (version < 8) return { groupId: group, topics: [{ name: topic, partitionIndexes: [0] }] };
      const named = version >= 10 ? { topicId } : { name: topic };
      return { groups: [{ groupId: group, topics: [{ ...named, partitionIndexes: [0] }] }] };
    },
    errorNames: noGroup,
  },
  FindCoordinator: {
    requestOf: ({ group }, version) =>
      version >= 4
        ? { keyType: 0, coordinatorKeys: [group] }
        : { key: group, ...since(1, version, { keyType: 0 }) },
    errorNames: noGroup,
  },
  JoinGroup: {
    requestOf: ({ group }, version) => ({
      groupId: group,
      sessionTimeoutMs: 10_000,
      ...since(1, version, { rebalanceTimeoutMs: 10_000 }),
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
    }),
    errorNames: noGroup,
  },
  Heartbeat: {
    requestOf: ({ group }) => ({ groupId: group, generationId: 1, memberId: 'member' }),
    errorNames: noGroup,
  },
  LeaveGroup: {
    requestOf: ({ group }, version) =>
      version >= 3
        ? { groupId: group, members: [{ memberId: 'member' }] }
        : { groupId: group, memberId: 'member' },
    errorNames: noGroup,
  },
  SyncGroup: {
    requestOf: ({ group }, version) => ({
      ...{ groupId: group, generationId: 1, memberId: 'member', assignments: [] },
      ...since(5, version, { protocolType: 'consumer', protocolName: 'range' }),
    }),
    errorNames: noGroup,
  },
  DescribeGroups: {
    requestOf: ({ group }, version) => ({
      groups: [group],
      ...since(3, version, { includeAuthorizedOperations: true }),
    }),
    errorNames: noGroup,
  },
  ListGroups: { requestOf: () => ({}), errorNames: [], calls: ['listGroups'] },
  SaslHandshake: { needsNothing: 'starts authentication' },
  SaslAuthenticate: { needsNothing: 'authenticates the client' },
  ApiVersions: { needsNothing: 'clients send it before they authenticate' },
  CreateTopics: {
    requestOf: ({ topic }) => ({
      topics: [{ name: topic, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }],
    }),
    errorNames: noTopic,
  },
  DeleteTopics: {
    requestOf: ({ topic }, version) => ({
      timeoutMs: 1000,
      ...(version >= 6 ? { topics: [{ name: topic, topicId: zeroUuid }] } : { topicNames: [topic] }),
    }),
    errorNames: noTopic,
  },
  DeleteRecords: {
    requestOf: ({ topic }) => ({
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, offset: 0n }] }],
      timeoutMs: 1000,
    }),
    errorNames: noTopic,
  },
  InitProducerId: {
    requestOf: ({ transactionalId }) => ({ transactionalId, transactionTimeoutMs: 1000 }),
    errorNames: noTransactionalId,
  },
  OffsetForLeaderEpoch: {
    requestOf: ({ topic }) => ({ topics: [{ topic, partitions: [{ partition: 0, leaderEpoch: 0 }] }] }),
    errorNames: noTopic,
  },
  AddPartitionsToTxn: {
    requestOf: ({ transactionalId, topic }, version) => {
      const topics = [{ name: topic, partitions: [0] }];
      if (version >= 4) {
        const one = { transactionalId, ...producer, topics };
        return { transactions: [one, { ...one, verifyOnly: true }] };
      }
      return {
        v3AndBelowTransactionalId: transactionalId,
        v3AndBelowProducerId: producer.producerId,
        v3AndBelowProducerEpoch: producer.producerEpoch,
        v3AndBelowTopics: topics,
      };
    },
    errorNames: [...noTransactionalId],
  },
  AddOffsetsToTxn: {
    requestOf: ({ transactionalId, group }) => ({ transactionalId, ...producer, groupId: group }),
    errorNames: noTransactionalId,
  },
  EndTxn: {
    requestOf: ({ transactionalId }) => ({ transactionalId, ...producer, committed: true }),
    errorNames: noTransactionalId,
  },
  WriteTxnMarkers: {
    requestOf: ({ topic }) => ({
      markers: [
        {
          ...{ ...producer, transactionResult: false, coordinatorEpoch: 0 },
          topics: [{ name: topic, partitionIndexes: [0] }],
        },
      ],
    }),
    errorNames: noCluster,
  },
  TxnOffsetCommit: {
    requestOf: ({ transactionalId, group, topic }) => ({
      transactionalId,
      groupId: group,
      ...producer,
      topics: [
        { name: topic, partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: '' }] },
      ],
    }),
    errorNames: noTransactionalId,
  },
  DescribeConfigs: {
    requestOf: ({ topic, group }) => ({
      resources: configResources(topic, group).map((resource) => ({
        ...resource,
        configurationKeys: null,
      })),
    }),
    errorNames: [...noCluster, ...noGroup, ...noTopic],
  },
  AlterConfigs: {
    requestOf: ({ topic, group }) => ({
      resources: configResources(topic, group).map((resource) => ({
        ...resource,
        configs: [{ name: 'retention.ms', value: '1000' }],
      })),
      validateOnly: false,
    }),
    errorNames: [...noCluster, ...noGroup, ...noTopic],
  },
  DescribeLogDirs: {
    requestOf: ({ topic }) => ({ topics: [{ topic, partitions: [0] }] }),
    errorNames: noCluster,
    sentFromVersion: 3,
  },
  CreatePartitions: {
    requestOf: ({ topic }) => ({
      topics: [{ name: topic, count: 9, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    }),
    errorNames: noTopic,
  },
  DeleteGroups: { requestOf: ({ group }) => ({ groupsNames: [group] }), errorNames: noGroup },
  ElectLeaders: {
    requestOf: ({ topic }, version) => ({
      ...since(1, version, { electionType: 0 }),
      topicPartitions: [{ topic, partitions: [0] }],
    }),
    errorNames: noCluster,
  },
  IncrementalAlterConfigs: {
    requestOf: ({ topic, group }) => ({
      resources: configResources(topic, group).map((resource) => ({
        ...resource,
        configs: [{ name: 'retention.ms', configOperation: 0, value: '1000' }],
      })),
      validateOnly: false,
    }),
    errorNames: [...noCluster, ...noGroup, ...noTopic],
  },
  AlterReplicaLogDirs: {
    requestOf: ({ topic }) => ({ dirs: [{ path: '/d', topics: [{ name: topic, partitions: [0] }] }] }),
    errorNames: noCluster,
  },
  AlterPartitionReassignments: {
    requestOf: ({ topic }) => ({
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, replicas: [1] }] }],
    }),
    errorNames: noCluster,
  },
  ListPartitionReassignments: {
    requestOf: ({ topic }) => ({ topics: [{ name: topic, partitionIndexes: [0] }] }),
    errorNames: noCluster,
  },
  OffsetDelete: {
    requestOf: ({ group, topic }) => ({
      groupId: group,
      topics: [{ name: topic, partitions: [{ partitionIndex: 0 }] }],
    }),
    errorNames: noGroup,
  },
  DescribeClientQuotas: {
    requestOf: ({ user }) => ({
      components: [{ entityType: 'user', matchType: 0, match: user }],
      strict: false,
    }),
    errorNames: noCluster,
  },
  AlterClientQuotas: {
    requestOf: ({ user }) => ({
      entries: [
        {
          entity: [{ entityType: 'user', entityName: user }],
          ops: [{ key: 'request_percentage', value: 1, remove: false }],
        },
      ],
      validateOnly: false,
    }),
    errorNames: noCluster,
  },
  CreateDelegationToken: {
    needsNothing: 'makes a token for the client itself; another owner requires CREATE_TOKENS',
  },
  RenewDelegationToken: {
    needsNothing: 'is for the owner and the renewers of a token, whose secret the client sends',
  },
  ExpireDelegationToken: {
    needsNothing: 'is for the owner and the renewers of a token, whose secret the client sends',
  },
  DescribeDelegationToken: { needsNothing: 'shows own tokens; others require DESCRIBE or DESCRIBE_TOKENS' },
  DescribeAcls: { requestOf: ({ topic }) => filterOf(topic), errorNames: noCluster },
  CreateAcls: {
    requestOf: ({ topic, user }) => ({
      creations: [
        {
          resourceType: kafkaResourceTypes.TOPIC,
          resourceName: topic,
          resourcePatternType: aclPatternTypes.LITERAL,
          principal: `User:${user}`,
          host: '*',
          operation: aclOperations.READ,
          permissionType: aclPermissions.ALLOW,
        },
      ],
    }),
    errorNames: noCluster,
  },
  DeleteAcls: { requestOf: ({ topic }) => ({ filters: [filterOf(topic)] }), errorNames: noCluster },
  DescribeUserScramCredentials: {
    requestOf: ({ user }) => ({ users: [{ name: user }] }),
    errorNames: noCluster,
  },
  AlterUserScramCredentials: {
    requestOf: ({ user }) => ({
      deletions: [],
      upsertions: [
        {
          name: user,
          mechanism: 2,
          iterations: 4096,
          salt: Buffer.from('salt'),
          saltedPassword: Buffer.alloc(64, 1),
        },
      ],
    }),
    errorNames: noCluster,
  },
  DescribeQuorum: {
    requestOf: () => ({ topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }] }),
    errorNames: noCluster,
  },
  UpdateFeatures: {
    requestOf: () => ({ featureUpdates: [{ feature: 'transaction.version', maxVersionLevel: 2 }] }),
    errorNames: noCluster,
  },
  DescribeCluster: { needsNothing: 'lists the agents, which Metadata shows to every client' },
  DescribeProducers: {
    requestOf: ({ topic }) => ({ topics: [{ name: topic, partitionIndexes: [0] }] }),
    errorNames: noTopic,
  },
  UnregisterBroker: { requestOf: () => ({ brokerId: 1 }), errorNames: noCluster },
  AddRaftVoter: {
    requestOf: () => ({
      ...{ clusterId: null, timeoutMs: 1000, voterId: 1, voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAQ' },
      listeners: [],
    }),
    errorNames: noCluster,
  },
  RemoveRaftVoter: {
    requestOf: () => ({ clusterId: null, voterId: 1, voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAQ' }),
    errorNames: noCluster,
  },
  DescribeTransactions: {
    requestOf: ({ transactionalId }) => ({ transactionalIds: [transactionalId] }),
    errorNames: noTransactionalId,
  },
  ListTransactions: {
    requestOf: () => ({ stateFilters: [], producerIdFilters: [] }),
    errorNames: [],
    calls: ['listTransactions'],
  },
  ConsumerGroupHeartbeat: {
    requestOf: ({ group, topic }) => ({
      groupId: group,
      memberId: 'member',
      memberEpoch: 0,
      rebalanceTimeoutMs: 1000,
      subscribedTopicNames: [topic],
      topicPartitions: [],
    }),
    errorNames: noGroup,
  },
  ConsumerGroupDescribe: {
    requestOf: ({ group }) => ({ groupIds: [group], includeAuthorizedOperations: true }),
    errorNames: noGroup,
  },
  GetTelemetrySubscriptions: { needsNothing: 'the operator asks clients for their metrics, all of them' },
  PushTelemetry: { needsNothing: 'a client reports about itself and touches nothing of the cluster' },
  ListConfigResources: { requestOf: () => ({}), errorNames: noCluster },
  DescribeTopicPartitions: { requestOf: ({ topic }) => ({ topics: [{ name: topic }] }), errorNames: noTopic },
  ShareGroupHeartbeat: {
    requestOf: ({ group, topic }) => ({
      groupId: group,
      memberId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      memberEpoch: 0,
      subscribedTopicNames: [topic],
    }),
    errorNames: noGroup,
  },
  ShareGroupDescribe: {
    requestOf: ({ group }) => ({ groupIds: [group], includeAuthorizedOperations: true }),
    errorNames: noGroup,
  },
  StreamsGroupHeartbeat: {
    requestOf: ({ group, topic }) => ({
      groupId: group,
      memberId: 'member',
      memberEpoch: 0,
      endpointInformationEpoch: 0,
      rebalanceTimeoutMs: 1000,
      processId: 'process',
      topology: {
        epoch: 0,
        subtopologies: [
          {
            ...{ subtopologyId: '0', sourceTopics: [topic], sourceTopicRegex: [], stateChangelogTopics: [] },
            ...{ repartitionSinkTopics: [], repartitionSourceTopics: [], copartitionGroups: [] },
          },
        ],
      },
      ...{ activeTasks: [], standbyTasks: [], warmupTasks: [] },
    }),
    errorNames: noGroup,
  },
  StreamsGroupDescribe: {
    requestOf: ({ group }) => ({ groupIds: [group], includeAuthorizedOperations: true }),
    errorNames: noGroup,
  },
  ShareFetch: {
    requestOf: ({ group, topicId }) => ({
      groupId: group,
      memberId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      shareSessionEpoch: 0,
      maxWaitMs: 0,
      minBytes: 0,
      maxRecords: 10,
      batchSize: 10,
      topics: [{ topicId, partitions: [{ partitionIndex: 0, acknowledgementBatches: [] }] }],
      forgottenTopicsData: [],
    }),
    errorNames: noGroup,
  },
  ShareAcknowledge: {
    requestOf: ({ group, topicId }) => ({
      groupId: group,
      memberId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      shareSessionEpoch: 1,
      topics: [
        {
          topicId,
          partitions: [
            {
              partitionIndex: 0,
              acknowledgementBatches: [{ firstOffset: 0n, lastOffset: 0n, acknowledgeTypes: [1] }],
            },
          ],
        },
      ],
    }),
    errorNames: noGroup,
  },
  DescribeShareGroupOffsets: {
    requestOf: ({ group, topic }) => ({
      groups: [{ groupId: group, topics: [{ topicName: topic, partitions: [0] }] }],
    }),
    errorNames: noGroup,
  },
  AlterShareGroupOffsets: {
    requestOf: ({ group, topic }) => ({
      groupId: group,
      topics: [{ topicName: topic, partitions: [{ partitionIndex: 0, startOffset: 0n }] }],
    }),
    errorNames: noGroup,
  },
  DeleteShareGroupOffsets: {
    requestOf: ({ group, topic }) => ({ groupId: group, topics: [{ topicName: topic }] }),
    errorNames: noGroup,
  },
} satisfies Rows;

type AnyGuarded = Guarded<ServedApi>;

const guarded = (Object.entries(rows) as [ServedApi, AnyGuarded | Open][]).filter(
  (row): row is [ServedApi, AnyGuarded] => 'requestOf' in row[1],
);

const present = {
  topic: 'orders',
  group: 'readers-of-orders',
  transactionalId: 'writer-of-orders',
  user: 'alice',
};
const missing: Named = {
  topic: 'dreams',
  topicId: 'AAAAAAAAAAAAAAAAAAAAKg',
  group: 'readers-of-dreams',
  transactionalId: 'writer-of-dreams',
  user: 'nobody',
};

interface Stage extends AsyncDisposable {
  readonly agent: LeaderAgent;
  readonly present: Named;
  /** Sets the access of clients from now on. */
  become(access: Access): void;
  /** Returns the calls to the control plane since the last call. */
  takeCalls(): string[];
}

/** Starts a cluster in which all of `present` exists. */
async function setStage(): Promise<Stage> {
  let access: Access = fullAccess();
  const calls: string[] = [];
  const agent = await startLeaderAgent(
    { 'group.initial.rebalance.delay.ms': '0' },
    {
      accessOf: () => access,
      port: (node) => watchedPort(node, (method) => calls.push(method)),
    },
  );
  const { topicId } = await agent.addTopic(present.topic);
  const named = { ...present, topicId };
  const { OffsetCommit, InitProducerId, AlterUserScramCredentials, AlterClientQuotas } = rows;
  await agent.call('OffsetCommit', 3, OffsetCommit.requestOf(named, 3));
  await agent.call('InitProducerId', 3, InitProducerId.requestOf(named));
  await agent.call('AlterUserScramCredentials', 0, AlterUserScramCredentials.requestOf(named));
  await agent.call('AlterClientQuotas', 0, AlterClientQuotas.requestOf(named));
  return {
    agent,
    present: named,
    become(next) {
      access = next;
    },
    takeCalls: () => calls.splice(0),
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

function versionsOf(name: ServedApi): number[] {
  const { versions } = apis[name];
  const last = apis[name].highestStableVersion;
  return Array.from({ length: last - versions.lowest + 1 }, (_, index) => versions.lowest + index);
}

async function ask({ agent }: Stage, name: ServedApi, version: number, named: Named): Promise<unknown> {
  const row = rows[name] as unknown as Guarded<'ListGroups'>;
  return answered(await agent.call(name as 'ListGroups', version, row.requestOf(named, version)));
}

/** All errors anywhere in a response, sorted. */
function errorsIn(answer: unknown): ErrorName[] {
  const found = new Set<ErrorName>();
  visit(answer);
  return [...found].sort();

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return;
    for (const [key, part] of Object.entries(value)) {
      if (/errorCode$/i.test(key) && part !== 0) found.add(errorName(part as number) as ErrorName);
      else visit(part);
    }
  }
}

/** All lists in a response. */
function listsOf(answer: unknown): unknown[][] {
  if (Array.isArray(answer)) return [answer];
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.values(answer).flatMap(listsOf);
}

/** Returns a response as text, with the names of resources replaced. */
function anonymized(answer: unknown, named: Named): string {
  let text = JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  for (const [what, name] of Object.entries(named)) text = text.replaceAll(`"${name}"`, `"the ${what}"`);
  return text;
}

const authorizationErrors: readonly ErrorName[] = [
  ...noCluster,
  ...noGroup,
  ...noTopic,
  ...noTransactionalId,
];

test('a client without permissions is denied by every API in every version, and learns nothing else', async (context) => {
  await using stage = await setStage();
  for (const [name, row] of guarded) {
    const { errorNames, sentFromVersion = 0, calls = [], idsFromVersion = Number.POSITIVE_INFINITY } = row;
    await context.test(name, async () => {
      for (const version of versionsOf(name)) {
        const label = `${name} v${version}`;
        const access = new ScriptedAccess([]);
        stage.become(access);
        stage.takeCalls();
        const answer = await ask(stage, name, version, stage.present);
        const expected = version >= sentFromVersion ? [...errorNames].sort() : [];
        assert.deepEqual(errorsIn(answer), expected, label);
        if (expected.length === 0) assert.deepEqual(listsOf(answer).flat(), [], `${label}: shown`);
        assert.deepEqual(stage.takeCalls(), calls, `${label}: calls to the control plane`);
        if (errorNames.length > 0) assert.notDeepEqual(access.denied, [], `${label}: nothing to log`);
        else assert.deepEqual(access.denied, [], `${label}: what is left out is not logged`);
        if (version >= idsFromVersion) continue;
        const other = await ask(stage, name, version, missing);
        assert.equal(
          anonymized(other, missing),
          anonymized(answer, stage.present),
          `${label}: distinguishable`,
        );
      }
    });
  }
});

test('an unknown topic id is reported as such', async () => {
  await using stage = await setStage();
  stage.become(new ScriptedAccess([]));
  for (const [name, { idsFromVersion }] of guarded) {
    if (idsFromVersion === undefined) continue;
    for (const version of versionsOf(name).filter((one) => one >= idsFromVersion)) {
      const answer = await ask(stage, name, version, missing);
      assert.deepEqual(errorsIn(answer), ['UNKNOWN_TOPIC_ID'], `${name} v${version}`);
    }
  }
});

test('the same requests are not denied to a client with all permissions', async () => {
  await using stage = await setStage();
  for (const [name] of guarded) {
    const version = versionsOf(name).at(-1)!;
    for (const named of [stage.present, missing]) {
      const found = errorsIn(await ask(stage, name, version, named));
      assert.deepEqual(
        found.filter((error) => authorizationErrors.includes(error)),
        [],
        `${name} v${version}`,
      );
    }
  }
});
