import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiByKey, layoutOf, zeroUuid } from '@weir/wire';
import { aclFilterOptions } from './acl-filter.ts';
import { checkRequests, type RequestTable, rowOf } from './check-request.ts';
import { isOurs, titleOf } from './not-comparable.ts';
import { platformaticVersions } from './platformatic.ts';
import { valueSent, valueToSend, withValues } from './produced-values.ts';
import { hyphenated } from './same-fields.ts';
import { mapFields } from './struct.ts';

/**
 * The client encodes requests and Weir decodes them. The client has no decoder for requests, so the other direction
 * cannot be tested.
 *
 * The functions of all versions of an API take the same options, in the order of the newest version. Uuids in `options`
 * have the client's form.
 */
const requests = {
  Produce: {
    nulls: { transactionalId: 0 },
    // The client groups batches by topic and partition in plain objects, so names must be unique and must not look like
    // numbers.
    nearest: (request) => ({
      ...request,
      topicData: withValues(request, valueToSend)
        .topicData.filter(({ partitionData }) => partitionData.length > 0)
        .map((topic, topicIndex) => ({
          ...topic,
          name: `topic ${topicIndex} ${topic.name}`,
          partitionData: topic.partitionData.map(({ records }, index) => ({ index, records })),
        })),
    }),
    options: ({ acks, timeoutMs, topicData, transactionalId }) => [
      acks,
      timeoutMs,
      topicData.flatMap(({ name, partitionData }) =>
        partitionData.map(({ index, records }) => ({
          topic: name,
          partition: index,
          timestamp: 1_700_000_000_000n,
          value: records,
        })),
      ),
      { transactionalId },
    ],
    compared: (request) => withValues(request, valueSent),
  },
  Fetch: {
    // The client has no options for fields that only replicas send.
    nearest: (request) => ({
      ...request,
      clusterId: null,
      replicaId: -1,
      replicaState: { replicaId: -1, replicaEpoch: -1n },
      topics: request.topics.map((topic) => ({
        ...topic,
        partitions: topic.partitions.map((partition) => ({ ...partition, logStartOffset: -1n })),
      })),
    }),
    // Up to v12 the client takes the topic name as its id.
    options: (request, version) => [
      request.maxWaitMs,
      request.minBytes,
      request.maxBytes,
      request.isolationLevel,
      request.sessionId,
      request.sessionEpoch,
      request.topics.map(({ topic, topicId, partitions }) => ({
        topicId: version < 13 ? topic : topicId,
        partitions: partitions.map(({ replicaDirectoryId, ...partition }) =>
          version < 17 || replicaDirectoryId === hyphenated(zeroUuid)
            ? partition
            : { ...partition, replicaDirectoryId },
        ),
      })),
      request.forgottenTopicsData.map(({ topic, topicId, partitions }) => ({
        topicId: version < 13 ? topic : topicId,
        partitions,
      })),
      request.rackId,
    ],
  },
  ListOffsets: { options: ({ replicaId, isolationLevel, topics }) => [replicaId, isolationLevel, topics] },
  Metadata: {
    nulls: { topics: 1, 'topics[].name': 12 },
    // In v10 and v11 brokers ignore topic ids, and the client sends none.
    nearest: (request, version) => ({
      ...request,
      topics:
        version < 10 || version > 11
          ? request.topics
          : (request.topics?.map(({ name }) => ({ topicId: zeroUuid, name: name ?? '' })) ?? null),
    }),
    options: (request) => [
      request.topics,
      request.allowAutoTopicCreation,
      request.includeTopicAuthorizedOperations,
      request.includeClusterAuthorizedOperations,
    ],
  },
  OffsetCommit: {
    nulls: { groupInstanceId: 7, 'topics[].partitions[].committedMetadata': 0 },
    // The client always uses the broker's retention.
    nearest: (request) => ({ ...request, retentionTimeMs: -1n }),
    options: (request) => [
      request.groupId,
      request.generationIdOrMemberEpoch,
      request.memberId,
      request.groupInstanceId,
      request.topics,
    ],
  },
  OffsetFetch: {
    nulls: { topics: 2, 'groups[].topics': 8, 'groups[].memberId': 9 },
    // Up to v7 there is one group, but the client still takes a list.
    options: ({ groupId, topics, groups, requireStable }, version) => [
      version < 8 ? [{ groupId, topics }] : groups,
      requireStable,
    ],
  },
  FindCoordinator: {
    // Up to v3 there is one key, but the client still takes a list.
    options: ({ key, keyType, coordinatorKeys }, version) => [keyType, version < 4 ? [key] : coordinatorKeys],
  },
  JoinGroup: {
    nulls: { groupInstanceId: 5, reason: 8 },
    options: (request) => [
      request.groupId,
      request.sessionTimeoutMs,
      request.rebalanceTimeoutMs,
      request.memberId,
      request.groupInstanceId,
      request.protocolType,
      request.protocols,
      request.reason,
    ],
  },
  Heartbeat: {
    nulls: { groupInstanceId: 3 },
    options: ({ groupId, generationId, memberId, groupInstanceId }) => [
      groupId,
      generationId,
      memberId,
      groupInstanceId,
    ],
  },
  LeaveGroup: {
    nulls: { 'members[].groupInstanceId': 3, 'members[].reason': 5 },
    // Up to v2 there is one member, but the client still takes a list.
    options: ({ groupId, memberId, members }, version) => [groupId, version < 3 ? [{ memberId }] : members],
  },
  SyncGroup: {
    nulls: { groupInstanceId: 3, protocolType: 5, protocolName: 5 },
    options: (request) => [
      request.groupId,
      request.generationId,
      request.memberId,
      request.groupInstanceId,
      request.protocolType,
      request.protocolName,
      request.assignments,
    ],
  },
  DescribeGroups: {
    options: ({ groups, includeAuthorizedOperations }) => [groups, includeAuthorizedOperations],
  },
  ListGroups: {
    // The client rejects group types that it does not know.
    nearest: (request) => ({
      ...request,
      typesFilter: request.typesFilter.map((type) => (type.length % 2 === 0 ? 'classic' : 'consumer')),
    }),
    options: ({ statesFilter, typesFilter }) => [statesFilter, typesFilter],
  },
  SaslHandshake: { options: ({ mechanism }) => [mechanism] },
  ApiVersions: {
    options: ({ clientSoftwareName, clientSoftwareVersion }) => [clientSoftwareName, clientSoftwareVersion],
  },
  CreateTopics: {
    nulls: { 'topics[].configs[].value': 0 },
    options: ({ topics, timeoutMs, validateOnly }) => [topics, timeoutMs, validateOnly],
  },
  DeleteTopics: {
    nulls: { 'topics[].name': 6 },
    options: ({ topics, topicNames, timeoutMs }, version) => [
      version < 6 ? topicNames.map((name) => ({ name })) : topics,
      timeoutMs,
    ],
  },
  DeleteRecords: { options: ({ topics, timeoutMs }) => [topics, timeoutMs] },
  InitProducerId: {
    nulls: { transactionalId: 0 },
    options: ({ transactionalId, transactionTimeoutMs, producerId, producerEpoch }) => [
      transactionalId,
      transactionTimeoutMs,
      producerId,
      producerEpoch,
    ],
  },
  OffsetForLeaderEpoch: {
    options: ({ replicaId, topics }) => [
      replicaId,
      topics.map(({ topic, partitions }) => ({
        name: topic,
        partitions: partitions.map(({ partition, ...epochs }) => ({ partitionIndex: partition, ...epochs })),
      })),
    ],
  },
  AddPartitionsToTxn: {
    // Up to v3 there is one transaction, but the client still takes a list.
    options: ({ transactions, ...request }, version) => [
      version < 4
        ? [
            {
              transactionalId: request.v3AndBelowTransactionalId,
              producerId: request.v3AndBelowProducerId,
              producerEpoch: request.v3AndBelowProducerEpoch,
              topics: request.v3AndBelowTopics,
            },
          ]
        : transactions,
    ],
  },
  AddOffsetsToTxn: {
    options: ({ transactionalId, producerId, producerEpoch, groupId }) => [
      transactionalId,
      producerId,
      producerEpoch,
      groupId,
    ],
  },
  EndTxn: {
    options: ({ transactionalId, producerId, producerEpoch, committed }) => [
      transactionalId,
      producerId,
      producerEpoch,
      committed,
    ],
  },
  TxnOffsetCommit: {
    nulls: { groupInstanceId: 3, 'topics[].partitions[].committedMetadata': 0 },
    options: (request) => [
      request.transactionalId,
      request.groupId,
      request.producerId,
      request.producerEpoch,
      request.generationId,
      request.memberId,
      request.groupInstanceId,
      request.topics,
    ],
  },
  DescribeAcls: {
    nulls: { resourceNameFilter: 0, principalFilter: 0, hostFilter: 0 },
    options: (request) => [aclFilterOptions(request)],
  },
  CreateAcls: { options: ({ creations }) => [creations] },
  DeleteAcls: {
    nulls: { 'filters[].resourceNameFilter': 0, 'filters[].principalFilter': 0, 'filters[].hostFilter': 0 },
    options: ({ filters }) => [filters.map(aclFilterOptions)],
  },
  DescribeConfigs: {
    nulls: { 'resources[].configurationKeys': 0 },
    options: ({ resources, includeSynonyms, includeDocumentation }) => [
      resources,
      includeSynonyms,
      includeDocumentation,
    ],
  },
  AlterConfigs: {
    nulls: { 'resources[].configs[].value': 0 },
    options: ({ resources, validateOnly }) => [resources, validateOnly],
  },
  AlterReplicaLogDirs: { options: ({ dirs }) => [dirs] },
  DescribeLogDirs: {
    nulls: { topics: 0 },
    options: ({ topics }) => [
      topics === null ? null : topics.map(({ topic, partitions }) => ({ name: topic, partitions })),
    ],
  },
  SaslAuthenticate: { options: ({ authBytes }) => [authBytes] },
  CreatePartitions: {
    nulls: { 'topics[].assignments': 0 },
    options: ({ topics, timeoutMs, validateOnly }) => [topics, timeoutMs, validateOnly],
  },
  CreateDelegationToken: {
    nulls: { ownerPrincipalType: 3, ownerPrincipalName: 3 },
    options: ({ ownerPrincipalType, ownerPrincipalName, renewers, maxLifetimeMs }) => [
      ownerPrincipalType,
      ownerPrincipalName,
      renewers,
      maxLifetimeMs,
    ],
  },
  RenewDelegationToken: { options: ({ hmac, renewPeriodMs }) => [hmac, renewPeriodMs] },
  ExpireDelegationToken: { options: ({ hmac, expiryTimePeriodMs }) => [hmac, expiryTimePeriodMs] },
  DescribeDelegationToken: { nulls: { owners: 1 }, options: ({ owners }) => [owners] },
  DeleteGroups: { options: ({ groupsNames }) => [groupsNames] },
  IncrementalAlterConfigs: {
    nulls: { 'resources[].configs[].value': 0 },
    options: ({ resources, validateOnly }) => [resources, validateOnly],
  },
  AlterPartitionReassignments: {
    nulls: { 'topics[].partitions[].replicas': 0 },
    options: ({ timeoutMs, allowReplicationFactorChange, topics }) => [
      timeoutMs,
      allowReplicationFactorChange,
      topics,
    ],
  },
  ListPartitionReassignments: {
    nulls: { topics: 0 },
    options: ({ timeoutMs, topics }) => [timeoutMs, topics],
  },
  OffsetDelete: { options: ({ groupId, topics }) => [groupId, topics] },
  DescribeClientQuotas: {
    nulls: { 'components[].match': 0 },
    options: ({ components, strict }) => [components, strict],
  },
  AlterClientQuotas: {
    nulls: { 'entries[].entity[].entityName': 0 },
    options: ({ entries, validateOnly }) => [
      entries.map(({ entity, ops }) => ({ entities: entity, ops })),
      validateOnly,
    ],
  },
  DescribeUserScramCredentials: { nulls: { users: 0 }, options: ({ users }) => [users] },
  AlterUserScramCredentials: { options: ({ deletions, upsertions }) => [deletions, upsertions] },
  DescribeQuorum: { options: ({ topics }) => [topics] },
  UpdateFeatures: {
    // In v0 the client converts the upgrade type of later versions to a boolean.
    options: ({ timeoutMs, featureUpdates, validateOnly }, version) => [
      timeoutMs,
      version === 0
        ? featureUpdates.map((update) => ({ ...update, upgradeType: update.allowDowngrade ? 2 : 1 }))
        : featureUpdates,
      validateOnly,
    ],
  },
  DescribeCluster: {
    options: ({ includeClusterAuthorizedOperations, endpointType }) => [
      includeClusterAuthorizedOperations,
      endpointType,
    ],
  },
  UnregisterBroker: { options: ({ brokerId }) => [brokerId] },
  DescribeProducers: { options: ({ topics }) => [topics] },
  DescribeTransactions: { options: ({ transactionalIds }) => [transactionalIds] },
  ListTransactions: {
    nulls: { transactionalIdPattern: 2 },
    options: ({ stateFilters, producerIdFilters, durationFilter, transactionalIdPattern }) => [
      stateFilters,
      producerIdFilters,
      durationFilter,
      transactionalIdPattern,
    ],
  },
  ConsumerGroupHeartbeat: {
    nulls: {
      instanceId: 0,
      rackId: 0,
      subscribedTopicNames: 0,
      subscribedTopicRegex: 1,
      serverAssignor: 0,
      topicPartitions: 0,
    },
    options: (request) => [
      request.groupId,
      request.memberId,
      request.memberEpoch,
      request.instanceId,
      request.rackId,
      request.rebalanceTimeoutMs,
      request.subscribedTopicNames,
      request.subscribedTopicRegex,
      request.serverAssignor,
      request.topicPartitions,
    ],
  },
  ConsumerGroupDescribe: {
    options: ({ groupIds, includeAuthorizedOperations }) => [groupIds, includeAuthorizedOperations],
  },
  GetTelemetrySubscriptions: { options: ({ clientInstanceId }) => [clientInstanceId] },
  PushTelemetry: {
    options: (request) => [
      request.clientInstanceId,
      request.subscriptionId,
      request.terminating,
      request.compressionType,
      request.metrics,
    ],
  },
  ListConfigResources: { options: ({ resourceTypes }) => [resourceTypes] },
  DescribeTopicPartitions: {
    nulls: { cursor: 0 },
    options: ({ topics, responsePartitionLimit, cursor }) => [topics, responsePartitionLimit, cursor],
  },
} satisfies RequestTable<readonly unknown[]>;

for (const client of platformaticVersions.filter(isOurs)) {
  const api = apiByKey(client.key)!;
  const { version } = client;

  test(`platformatic ${titleOf(client)} request`, async () => {
    const row = rowOf<readonly unknown[]>(requests, client.name);
    const layout = layoutOf(api.request, version);
    const withHyphens: typeof row = {
      ...row,
      options: (request) =>
        row.options(
          mapFields(layout, request, ({ type }, value) =>
            type.kind === 'uuid' ? hyphenated(value as string) : value,
          ),
          version,
        ),
    };
    await checkRequests(api, version, withHyphens, client.encodeRequest);
  });
}

test('platformatic requests: the table has no row for an API that the client lacks', () => {
  const names = new Set(platformaticVersions.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(requests).filter((name) => !names.has(name)),
    [],
  );
});
