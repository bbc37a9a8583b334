import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { aclOperations, aclPatternTypes, aclPermissions, aclResourceTypes } from '@weir/core';
import { apis, type ErrorName, zeroUuid } from '@weir/wire';
import {
  answered,
  batchOf,
  errorName,
  type LeaderAgent,
  ScriptedAccess,
  startLeaderAgent,
} from '../../../testing/index.ts';
import type { RequestBody } from '../../../testing/test-agent-server.ts';
import { configResourceType } from '../../configs/config-resources.ts';
import type { ServedApi } from '../../dispatch/handler-table.ts';
import { highestOfferedVersion } from '../../requests/offered-versions.ts';
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
  readonly asked: (named: Named, version: number) => RequestBody<Name>;
  /** All errors in the response to a client without any permission. If empty, all lists of the response are empty. */
  readonly told: readonly ErrorName[];
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
    resourceTypeFilter: aclResourceTypes.TOPIC,
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
    asked: ({ topic, topicId }, version) => ({
      acks: -1,
      timeoutMs: 1000,
      topicData: [
        {
          ...(version >= 13 ? { topicId } : { name: topic }),
          partitionData: [{ index: 0, records: batchOf(['value']) }],
        },
      ],
    }),
    told: noTopic,
    idsFromVersion: 13,
  },
  Fetch: {
    asked: ({ topic, topicId }, version) => ({
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
    told: noTopic,
    idsFromVersion: 13,
  },
  ListOffsets: {
    asked: ({ topic }) => ({
      replicaId: -1,
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
    }),
    told: noTopic,
  },
  Metadata: {
    asked: ({ topic }, version) => ({
      topics: [{ name: topic }],
      ...since(4, version, { allowAutoTopicCreation: true }),
    }),
    told: noTopic,
  },
  OffsetCommit: {
    asked: ({ group, topic, topicId }, version) => ({
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
    told: noGroup,
  },
  OffsetFetch: {
    asked: ({ group, topic, topicId }, version) => {
      if (version < 8) return { groupId: group, topics: [{ name: topic, partitionIndexes: [0] }] };
      const named = version >= 10 ? { topicId } : { name: topic };
      return { groups: [{ groupId: group, topics: [{ ...named, partitionIndexes: [0] }] }] };
    },
    told: noGroup,
  },
  FindCoordinator: {
    asked: ({ group }, version) =>
      version >= 4
        ? { keyType: 0, coordinatorKeys: [group] }
        : { key: group, ...since(1, version, { keyType: 0 }) },
    told: noGroup,
  },
  JoinGroup: {
    asked: ({ group }, version) => ({
      groupId: group,
      sessionTimeoutMs: 10_000,
      ...since(1, version, { rebalanceTimeoutMs: 10_000 }),
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.alloc(0) }],
    }),
    told: noGroup,
  },
  Heartbeat: {
    asked: ({ group }) => ({ groupId: group, generationId: 1, memberId: 'member' }),
    told: noGroup,
  },
  LeaveGroup: {
    asked: ({ group }, version) =>
      version >= 3
        ? { groupId: group, members: [{ memberId: 'member' }] }
        : { groupId: group, memberId: 'member' },
    told: noGroup,
  },
  SyncGroup: {
    asked: ({ group }) => ({ groupId: group, generationId: 1, memberId: 'member', assignments: [] }),
    told: noGroup,
  },
  DescribeGroups: {
    asked: ({ group }, version) => ({
      groups: [group],
      ...since(3, version, { includeAuthorizedOperations: true }),
    }),
    told: noGroup,
  },
  ListGroups: { asked: () => ({}), told: [], calls: ['listGroups'] },
  SaslHandshake: { needsNothing: 'with it a client begins to say who it is' },
  SaslAuthenticate: { needsNothing: 'with it a client says who it is' },
  ApiVersions: { needsNothing: 'clients ask it before they can say who they are' },
  CreateTopics: {
    asked: ({ topic }) => ({
      topics: [{ name: topic, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }],
    }),
    told: noTopic,
  },
  DeleteTopics: {
    asked: ({ topic }, version) => ({
      timeoutMs: 1000,
      ...(version >= 6 ? { topics: [{ name: topic, topicId: zeroUuid }] } : { topicNames: [topic] }),
    }),
    told: noTopic,
  },
  DeleteRecords: {
    asked: ({ topic }) => ({
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, offset: 0n }] }],
      timeoutMs: 1000,
    }),
    told: noTopic,
  },
  InitProducerId: {
    asked: ({ transactionalId }) => ({ transactionalId, transactionTimeoutMs: 1000 }),
    told: noTransactionalId,
  },
  OffsetForLeaderEpoch: {
    asked: ({ topic }) => ({ topics: [{ topic, partitions: [{ partition: 0, leaderEpoch: 0 }] }] }),
    told: noTopic,
  },
  AddPartitionsToTxn: {
    asked: ({ transactionalId, topic }) => ({
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producer.producerId,
      v3AndBelowProducerEpoch: producer.producerEpoch,
      v3AndBelowTopics: [{ name: topic, partitions: [0] }],
    }),
    told: noTransactionalId,
  },
  AddOffsetsToTxn: {
    asked: ({ transactionalId, group }) => ({ transactionalId, ...producer, groupId: group }),
    told: noTransactionalId,
  },
  EndTxn: {
    asked: ({ transactionalId }) => ({ transactionalId, ...producer, committed: true }),
    told: noTransactionalId,
  },
  TxnOffsetCommit: {
    asked: ({ transactionalId, group, topic }) => ({
      transactionalId,
      groupId: group,
      ...producer,
      topics: [
        { name: topic, partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: '' }] },
      ],
    }),
    told: noTransactionalId,
  },
  DescribeConfigs: {
    asked: ({ topic, group }) => ({
      resources: configResources(topic, group).map((resource) => ({
        ...resource,
        configurationKeys: null,
      })),
    }),
    told: [...noCluster, ...noGroup, ...noTopic],
  },
  AlterConfigs: {
    asked: ({ topic, group }) => ({
      resources: configResources(topic, group).map((resource) => ({
        ...resource,
        configs: [{ name: 'retention.ms', value: '1000' }],
      })),
      validateOnly: false,
    }),
    told: [...noCluster, ...noGroup, ...noTopic],
  },
  DescribeLogDirs: {
    asked: ({ topic }) => ({ topics: [{ topic, partitions: [0] }] }),
    told: noCluster,
    sentFromVersion: 3,
  },
  CreatePartitions: {
    asked: ({ topic }) => ({
      topics: [{ name: topic, count: 9, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    }),
    told: noTopic,
  },
  DeleteGroups: { asked: ({ group }) => ({ groupsNames: [group] }), told: noGroup },
  ElectLeaders: {
    asked: ({ topic }, version) => ({
      ...since(1, version, { electionType: 0 }),
      topicPartitions: [{ topic, partitions: [0] }],
    }),
    told: noCluster,
  },
  IncrementalAlterConfigs: {
    asked: ({ topic, group }) => ({
      resources: configResources(topic, group).map((resource) => ({
        ...resource,
        configs: [{ name: 'retention.ms', configOperation: 0, value: '1000' }],
      })),
      validateOnly: false,
    }),
    told: [...noCluster, ...noGroup, ...noTopic],
  },
  AlterPartitionReassignments: {
    asked: ({ topic }) => ({
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, replicas: [1] }] }],
    }),
    told: noCluster,
  },
  ListPartitionReassignments: {
    asked: ({ topic }) => ({ topics: [{ name: topic, partitionIndexes: [0] }] }),
    told: noCluster,
  },
  OffsetDelete: {
    asked: ({ group, topic }) => ({
      groupId: group,
      topics: [{ name: topic, partitions: [{ partitionIndex: 0 }] }],
    }),
    told: noGroup,
  },
  DescribeClientQuotas: {
    asked: ({ user }) => ({ components: [{ entityType: 'user', matchType: 0, match: user }], strict: false }),
    told: noCluster,
  },
  AlterClientQuotas: {
    asked: ({ user }) => ({
      entries: [
        {
          entity: [{ entityType: 'user', entityName: user }],
          ops: [{ key: 'request_percentage', value: 1, remove: false }],
        },
      ],
      validateOnly: false,
    }),
    told: noCluster,
  },
  DescribeAcls: { asked: ({ topic }) => filterOf(topic), told: noCluster },
  CreateAcls: {
    asked: ({ topic, user }) => ({
      creations: [
        {
          resourceType: aclResourceTypes.TOPIC,
          resourceName: topic,
          resourcePatternType: aclPatternTypes.LITERAL,
          principal: `User:${user}`,
          host: '*',
          operation: aclOperations.READ,
          permissionType: aclPermissions.ALLOW,
        },
      ],
    }),
    told: noCluster,
  },
  DeleteAcls: { asked: ({ topic }) => ({ filters: [filterOf(topic)] }), told: noCluster },
  DescribeUserScramCredentials: { asked: ({ user }) => ({ users: [{ name: user }] }), told: noCluster },
  AlterUserScramCredentials: {
    asked: ({ user }) => ({
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
    told: noCluster,
  },
  DescribeQuorum: {
    asked: () => ({ topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }] }),
    told: noCluster,
  },
  UpdateFeatures: {
    asked: () => ({ featureUpdates: [{ feature: 'transaction.version', maxVersionLevel: 2 }] }),
    told: noCluster,
  },
  DescribeCluster: { needsNothing: 'it tells of the agents, as Metadata tells whoever may connect' },
  DescribeProducers: {
    asked: ({ topic }) => ({ topics: [{ name: topic, partitionIndexes: [0] }] }),
    told: noTopic,
  },
  DescribeTransactions: {
    asked: ({ transactionalId }) => ({ transactionalIds: [transactionalId] }),
    told: noTransactionalId,
  },
  ListTransactions: {
    asked: () => ({ stateFilters: [], producerIdFilters: [] }),
    told: [],
    calls: ['listTransactions'],
  },
  ConsumerGroupHeartbeat: {
    asked: ({ group, topic }) => ({
      groupId: group,
      memberId: 'member',
      memberEpoch: 0,
      rebalanceTimeoutMs: 1000,
      subscribedTopicNames: [topic],
      topicPartitions: [],
    }),
    told: noGroup,
  },
  ConsumerGroupDescribe: {
    asked: ({ group }) => ({ groupIds: [group], includeAuthorizedOperations: true }),
    told: noGroup,
  },
  GetTelemetrySubscriptions: { needsNothing: 'the operator asks clients for their metrics, all of them' },
  PushTelemetry: { needsNothing: 'a client tells of itself, and touches nothing of the cluster' },
  ListConfigResources: { asked: () => ({}), told: noCluster },
  DescribeTopicPartitions: { asked: ({ topic }) => ({ topics: [{ name: topic }] }), told: noTopic },
  ShareGroupHeartbeat: {
    asked: ({ group, topic }) => ({
      groupId: group,
      memberId: 'AAAAAAAAAAAAAAAAAAAAAQ',
      memberEpoch: 0,
      subscribedTopicNames: [topic],
    }),
    told: noGroup,
  },
  ShareGroupDescribe: {
    asked: ({ group }) => ({ groupIds: [group], includeAuthorizedOperations: true }),
    told: noGroup,
  },
  ShareFetch: {
    asked: ({ group, topicId }) => ({
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
    told: noGroup,
  },
  ShareAcknowledge: {
    asked: ({ group, topicId }) => ({
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
    told: noGroup,
  },
  DescribeShareGroupOffsets: {
    asked: ({ group, topic }) => ({
      groups: [{ groupId: group, topics: [{ topicName: topic, partitions: [0] }] }],
    }),
    told: noGroup,
  },
  AlterShareGroupOffsets: {
    asked: ({ group, topic }) => ({
      groupId: group,
      topics: [{ topicName: topic, partitions: [{ partitionIndex: 0, startOffset: 0n }] }],
    }),
    told: noGroup,
  },
  DeleteShareGroupOffsets: {
    asked: ({ group, topic }) => ({ groupId: group, topics: [{ topicName: topic }] }),
    told: noGroup,
  },
} satisfies Rows;

type AnyGuarded = Guarded<ServedApi>;

const guarded = (Object.entries(rows) as [ServedApi, AnyGuarded | Open][]).filter(
  (row): row is [ServedApi, AnyGuarded] => 'asked' in row[1],
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
      port: (node) =>
        new Proxy<ClusterPort>(node, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (typeof member !== 'function') return member;
            return (...args: unknown[]) => {
              calls.push(String(name));
              return member.apply(target, args);
            };
          },
        }),
    },
  );
  const { topicId } = await agent.addTopic(present.topic);
  const named = { ...present, topicId };
  const { OffsetCommit, InitProducerId, AlterUserScramCredentials, AlterClientQuotas } = rows;
  await agent.call('OffsetCommit', 3, OffsetCommit.asked(named, 3));
  await agent.call('InitProducerId', 3, InitProducerId.asked(named));
  await agent.call('AlterUserScramCredentials', 0, AlterUserScramCredentials.asked(named));
  await agent.call('AlterClientQuotas', 0, AlterClientQuotas.asked(named));
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
  const last = highestOfferedVersion(apis[name]);
  return Array.from({ length: last - versions.lowest + 1 }, (_, index) => versions.lowest + index);
}

async function ask({ agent }: Stage, name: ServedApi, version: number, named: Named): Promise<unknown> {
  const row = rows[name] as unknown as Guarded<'ListGroups'>;
  return answered(await agent.call(name as 'ListGroups', version, row.asked(named, version)));
}

/** All errors anywhere in a response, sorted. */
function errorsIn(answer: unknown): ErrorName[] {
  const found = new Set<ErrorName>();
  look(answer);
  return [...found].sort();

  function look(value: unknown): void {
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return;
    for (const [key, part] of Object.entries(value)) {
      if (/errorCode$/i.test(key) && part !== 0) found.add(errorName(part as number) as ErrorName);
      else look(part);
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
    const { told, sentFromVersion = 0, calls = [], idsFromVersion = Number.POSITIVE_INFINITY } = row;
    await context.test(name, async () => {
      for (const version of versionsOf(name)) {
        const label = `${name} v${version}`;
        const access = new ScriptedAccess([]);
        stage.become(access);
        stage.takeCalls();
        const answer = await ask(stage, name, version, stage.present);
        const expected = version >= sentFromVersion ? [...told].sort() : [];
        assert.deepEqual(errorsIn(answer), expected, label);
        if (expected.length === 0) assert.deepEqual(listsOf(answer).flat(), [], `${label}: shown`);
        assert.deepEqual(stage.takeCalls(), calls, `${label}: asked of the control plane`);
        if (told.length > 0) assert.notDeepEqual(access.denied, [], `${label}: nothing to log`);
        else assert.deepEqual(access.denied, [], `${label}: what is left out is not logged`);
        if (version >= idsFromVersion) continue;
        const other = await ask(stage, name, version, missing);
        assert.equal(anonymized(other, missing), anonymized(answer, stage.present), `${label}: told apart`);
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
