import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiByKey } from '@weir/wire';
import { aclFilterOptions } from './acl-filter.ts';
import { checkRequests, type RequestTable, rowOf } from './check-request.ts';
import { kafkajsVersions } from './kafkajs.ts';
import { isOurs, titleOf } from './not-comparable.ts';
import { valueSent, valueToSend, withValues } from './produced-values.ts';

/**
 * kafkajs encodes requests and Weir decodes them. kafkajs has no decoder for requests, so the other direction cannot be
 * tested.
 */
const requests = {
  Produce: {
    nulls: { transactionalId: 0 },
    nearest: (request) => withValues(request, valueToSend),
    options: (request) => ({
      transactionalId: request.transactionalId,
      acks: request.acks,
      timeout: request.timeoutMs,
      topicData: request.topicData.map(({ name, partitionData }) => ({
        topic: name,
        partitions: partitionData.map(({ index, records }) => ({
          partition: index,
          messages: [{ timestamp: 1_700_000_000_000, key: null, value: records }],
        })),
      })),
    }),
    compared: (request) => withValues(request, valueSent),
  },
  Fetch: {
    options: (request) => ({
      replicaId: request.replicaId,
      maxWaitTime: request.maxWaitMs,
      minBytes: request.minBytes,
      maxBytes: request.maxBytes,
      isolationLevel: request.isolationLevel,
      sessionId: request.sessionId,
      sessionEpoch: request.sessionEpoch,
      rackId: request.rackId,
      topics: request.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partitionMaxBytes, ...partition }) => ({
          ...partition,
          maxBytes: partitionMaxBytes,
        })),
      })),
      forgottenTopics: request.forgottenTopicsData,
    }),
  },
  ListOffsets: {
    options: ({ replicaId, isolationLevel, topics }) => ({
      replicaId,
      isolationLevel,
      topics: topics.map(({ name, partitions }) => ({
        topic: name,
        partitions: partitions.map(({ partitionIndex, timestamp }) => ({
          partition: partitionIndex,
          timestamp,
        })),
      })),
    }),
  },
  Metadata: {
    nulls: { topics: 1 },
    // kafkajs treats an empty list as null, and writes null where it may.
    nearest: (request, version) => ({
      ...request,
      topics: version > 0 && request.topics?.length === 0 ? null : request.topics,
    }),
    options: ({ topics, allowAutoTopicCreation }) => ({
      topics: (topics ?? []).map(({ name }) => name),
      allowAutoTopicCreation,
    }),
  },
  OffsetCommit: {
    nulls: { 'topics[].partitions[].committedMetadata': 0 },
    options: (request) => ({
      groupId: request.groupId,
      groupGenerationId: request.generationIdOrMemberEpoch,
      memberId: request.memberId,
      retentionTime: request.retentionTimeMs,
      topics: request.topics.map(({ name, partitions }) => ({
        topic: name,
        partitions: partitions.map(({ partitionIndex, committedOffset, committedMetadata }) => ({
          partition: partitionIndex,
          offset: committedOffset,
          metadata: committedMetadata,
        })),
      })),
    }),
  },
  OffsetFetch: {
    nulls: { topics: 3 },
    nearest: (request, version) => ({
      ...request,
      // kafkajs treats an empty list as null. It writes the list up to v2 and null from v3 on.
      topics: version < 3 ? (request.topics ?? []) : request.topics?.length === 0 ? null : request.topics,
    }),
    options: ({ groupId, topics }) => ({
      groupId,
      topics: (topics ?? []).map(({ name, partitionIndexes }) => ({
        topic: name,
        partitions: partitionIndexes.map((partition) => ({ partition })),
      })),
    }),
  },
  FindCoordinator: {
    options: ({ key, keyType }) => ({ groupId: key, coordinatorType: keyType }),
  },
  JoinGroup: {
    nulls: { groupInstanceId: 5 },
    options: ({ sessionTimeoutMs, rebalanceTimeoutMs, protocols, ...request }) => ({
      ...request,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      groupProtocols: protocols,
    }),
  },
  Heartbeat: {
    nulls: { groupInstanceId: 3 },
    options: ({ generationId, ...request }) => ({ ...request, groupGenerationId: generationId }),
  },
  LeaveGroup: {
    nulls: { 'members[].groupInstanceId': 3 },
    // kafkajs always sends LeaveGroup for one member.
    nearest: (request, version) =>
      version < 3
        ? request
        : {
            ...request,
            members: [request.members[0] ?? { memberId: '', groupInstanceId: null, reason: null }],
          },
    options: ({ groupId, memberId, members }, version) =>
      version < 3 ? { groupId, memberId } : { groupId, ...members[0] },
  },
  SyncGroup: {
    nulls: { groupInstanceId: 3 },
    options: ({ assignments, ...request }) => ({
      ...request,
      groupAssignment: assignments.map(({ memberId, assignment }) => ({
        memberId,
        memberAssignment: assignment,
      })),
    }),
  },
  DescribeGroups: { options: ({ groups }) => ({ groupIds: groups }) },
  ListGroups: { options: () => ({}) },
  SaslHandshake: { options: ({ mechanism }) => ({ mechanism }) },
  ApiVersions: { options: () => ({}) },
  CreateTopics: {
    nulls: { 'topics[].configs[].value': 0 },
    options: ({ topics, timeoutMs, validateOnly }) => ({
      timeout: timeoutMs,
      validateOnly,
      topics: topics.map(({ name, assignments, configs, ...topic }) => ({
        ...topic,
        topic: name,
        replicaAssignment: assignments.map(({ partitionIndex, brokerIds }) => ({
          partition: partitionIndex,
          replicas: brokerIds,
        })),
        configEntries: configs,
      })),
    }),
  },
  DeleteTopics: {
    options: ({ topicNames, timeoutMs }) => ({ topics: topicNames, timeout: timeoutMs }),
  },
  DeleteRecords: {
    options: ({ topics, timeoutMs }) => ({
      timeout: timeoutMs,
      topics: topics.map(({ name, partitions }) => ({
        topic: name,
        partitions: partitions.map(({ partitionIndex, offset }) => ({ partition: partitionIndex, offset })),
      })),
    }),
  },
  InitProducerId: {
    nulls: { transactionalId: 0 },
    options: ({ transactionalId, transactionTimeoutMs }) => ({
      transactionalId,
      transactionTimeout: transactionTimeoutMs,
    }),
  },
  AddPartitionsToTxn: {
    options: (request) => ({
      transactionalId: request.v3AndBelowTransactionalId,
      producerId: request.v3AndBelowProducerId,
      producerEpoch: request.v3AndBelowProducerEpoch,
      topics: request.v3AndBelowTopics.map(({ name, partitions }) => ({ topic: name, partitions })),
    }),
  },
  AddOffsetsToTxn: { options: (request) => request },
  EndTxn: { options: ({ committed, ...request }) => ({ ...request, transactionResult: committed }) },
  TxnOffsetCommit: {
    nulls: { 'topics[].partitions[].committedMetadata': 0 },
    options: ({ topics, ...request }) => ({
      ...request,
      topics: topics.map(({ name, partitions }) => ({
        topic: name,
        partitions: partitions.map(({ partitionIndex, committedOffset, committedMetadata }) => ({
          partition: partitionIndex,
          offset: committedOffset,
          metadata: committedMetadata,
        })),
      })),
    }),
  },
  DescribeAcls: {
    nulls: { resourceNameFilter: 0, principalFilter: 0, hostFilter: 0 },
    options: aclFilterOptions,
  },
  CreateAcls: { options: (request) => request },
  DeleteAcls: {
    nulls: { 'filters[].resourceNameFilter': 0, 'filters[].principalFilter': 0, 'filters[].hostFilter': 0 },
    options: ({ filters }) => ({ filters: filters.map(aclFilterOptions) }),
  },
  DescribeConfigs: {
    nulls: { 'resources[].configurationKeys': 0 },
    // kafkajs treats an empty list as null and writes null.
    nearest: (request) => ({
      ...request,
      resources: request.resources.map((resource) => ({
        ...resource,
        configurationKeys: resource.configurationKeys?.length === 0 ? null : resource.configurationKeys,
      })),
    }),
    options: ({ resources, includeSynonyms }) => ({
      includeSynonyms,
      resources: resources.map(({ resourceType, resourceName, configurationKeys }) => ({
        type: resourceType,
        name: resourceName,
        configNames: configurationKeys ?? [],
      })),
    }),
  },
  AlterConfigs: {
    nulls: { 'resources[].configs[].value': 0 },
    options: ({ resources, validateOnly }) => ({
      validateOnly,
      resources: resources.map(({ resourceType, resourceName, configs }) => ({
        type: resourceType,
        name: resourceName,
        configEntries: configs,
      })),
    }),
  },
  SaslAuthenticate: {
    // kafkajs expects its mechanisms to put the length in front of the bytes.
    options: ({ authBytes }) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(authBytes.length);
      return { authBytes: Buffer.concat([length, authBytes]) };
    },
  },
  CreatePartitions: {
    nulls: { 'topics[].assignments': 0 },
    // kafkajs treats an empty list as null and writes null, which the protocol forbids for broker ids.
    nearest: (request) => ({
      ...request,
      topics: request.topics.map((topic) => ({
        ...topic,
        assignments:
          topic.assignments === null || topic.assignments.length === 0
            ? null
            : topic.assignments.map(({ brokerIds }) => ({
                brokerIds: brokerIds.length === 0 ? [7] : brokerIds,
              })),
      })),
    }),
    options: ({ topics, timeoutMs, validateOnly }) => ({
      timeout: timeoutMs,
      validateOnly,
      topicPartitions: topics.map(({ name, count, assignments }) => ({
        topic: name,
        count,
        assignments: (assignments ?? []).map(({ brokerIds }) => brokerIds),
      })),
    }),
  },
  DeleteGroups: { options: ({ groupsNames }) => groupsNames },
  AlterPartitionReassignments: {
    // kafkajs cannot cancel a reassignment.
    nearest: (request) => ({
      ...request,
      topics: request.topics.map((topic) => ({
        ...topic,
        partitions: topic.partitions.map((partition) => ({
          ...partition,
          replicas: partition.replicas ?? [],
        })),
      })),
    }),
    options: ({ topics, timeoutMs }) => ({
      timeout: timeoutMs,
      topics: topics.map(({ name, partitions }) => ({
        topic: name,
        partitionAssignment: partitions.map(({ partitionIndex, replicas }) => ({
          partition: partitionIndex,
          replicas,
        })),
      })),
    }),
  },
  ListPartitionReassignments: {
    nulls: { topics: 0 },
    options: ({ topics, timeoutMs }) => ({
      timeout: timeoutMs,
      topics:
        topics === null
          ? null
          : topics.map(({ name, partitionIndexes }) => ({ topic: name, partitions: partitionIndexes })),
    }),
  },
} satisfies RequestTable<object>;

for (const client of kafkajsVersions.filter(isOurs)) {
  test(`kafkajs ${titleOf(client)} request`, async () => {
    const row = rowOf<object>(requests, client.name);
    await checkRequests(apiByKey(client.key)!, client.version, row, client.encodeRequest);
  });
}

test('kafkajs requests: the table has no row for an API that the client lacks', () => {
  const names = new Set(kafkajsVersions.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(requests).filter((name) => !names.has(name)),
    [],
  );
});
