import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiByKey } from '@weir/wire';
import { ResponseChecker, type ResponseTable } from './check-response.ts';
import type { RecordSummary } from './fetched-records.ts';
import { kafkajsErrorCodes, kafkajsVersions } from './kafkajs.ts';
import { isOurs, titleOf } from './not-comparable.ts';
import type { Struct } from './struct.ts';

/**
 * Weir encodes responses and kafkajs decodes them. kafkajs has no encoder for responses, so the other direction cannot
 * be tested.
 */
const table = {
  Produce: {
    renamed: {
      responses: 'topics',
      'responses[].name': 'topicName',
      'responses[].partitionResponses': 'partitions',
      'responses[].partitionResponses[].index': 'partition',
      'responses[].partitionResponses[].logAppendTimeMs': 'logAppendTime',
    },
  },
  Fetch: {
    renamed: {
      'responses[].topic': 'topicName',
      'responses[].partitions[].partitionIndex': 'partition',
      'responses[].partitions[].logStartOffset': 'lastStartOffset',
      'responses[].partitions[].records': 'messages',
    },
  },
  ListOffsets: {
    renamed: {
      topics: 'responses',
      'topics[].name': 'topic',
      'topics[].partitions[].partitionIndex': 'partition',
    },
  },
  Metadata: {
    renamed: {
      topics: 'topicMetadata',
      'topics[].errorCode': 'topicErrorCode',
      'topics[].name': 'topic',
      'topics[].partitions': 'partitionMetadata',
      'topics[].partitions[].errorCode': 'partitionErrorCode',
      'topics[].partitions[].partitionIndex': 'partitionId',
      'topics[].partitions[].leaderId': 'leader',
      'topics[].partitions[].replicaNodes': 'replicas',
      'topics[].partitions[].isrNodes': 'isr',
    },
  },
  OffsetCommit: {
    renamed: {
      topics: 'responses',
      'topics[].name': 'topic',
      'topics[].partitions[].partitionIndex': 'partition',
    },
  },
  OffsetFetch: {
    renamed: {
      topics: 'responses',
      'topics[].name': 'topic',
      'topics[].partitions[].partitionIndex': 'partition',
      'topics[].partitions[].committedOffset': 'offset',
    },
  },
  FindCoordinator: {
    // kafkajs puts the address into a nested object.
    reshaped: ({ coordinator, ...response }) => ({ ...response, ...(coordinator as Struct) }),
  },
  JoinGroup: {
    renamed: {
      protocolName: 'groupProtocol',
      leader: 'leaderId',
      'members[].metadata': 'memberMetadata',
    },
  },
  SyncGroup: { renamed: { assignment: 'memberAssignment' } },
  DescribeGroups: { renamed: { 'groups[].groupState': 'state', 'groups[].protocolData': 'protocol' } },
  SaslHandshake: { renamed: { mechanisms: 'enabledMechanisms' } },
  ApiVersions: { renamed: { apiKeys: 'apiVersions' } },
  CreateTopics: {
    nearest: (response) => ({ ...response, topics: sortedByName(response.topics) }),
    renamed: { topics: 'topicErrors', 'topics[].name': 'topic' },
  },
  DeleteTopics: {
    nearest: (response) => ({ ...response, responses: sortedByName(response.responses) }),
    renamed: { responses: 'topicErrors', 'responses[].name': 'topic' },
  },
  DeleteRecords: {
    nearest: (response) => ({ ...response, topics: sortedByName(response.topics) }),
    renamed: { 'topics[].name': 'topic', 'topics[].partitions[].partitionIndex': 'partition' },
  },
  AddPartitionsToTxn: {
    renamed: {
      resultsByTopicV3AndBelow: 'errors',
      'resultsByTopicV3AndBelow[].name': 'topic',
      'resultsByTopicV3AndBelow[].resultsByPartition': 'partitionErrors',
      'resultsByTopicV3AndBelow[].resultsByPartition[].partitionIndex': 'partition',
      'resultsByTopicV3AndBelow[].resultsByPartition[].partitionErrorCode': 'errorCode',
    },
  },
  TxnOffsetCommit: {
    renamed: { 'topics[].name': 'topic', 'topics[].partitions[].partitionIndex': 'partition' },
  },
  DescribeAcls: { renamed: { 'resources[].patternType': 'resourcePatternType' } },
  CreateAcls: { renamed: { results: 'creationResponses' } },
  DeleteAcls: {
    renamed: {
      filterResults: 'filterResponses',
      'filterResults[].matchingAcls[].patternType': 'resourcePatternType',
    },
  },
  DescribeConfigs: {
    renamed: {
      results: 'resources',
      'results[].configs': 'configEntries',
      'results[].configs[].name': 'configName',
      'results[].configs[].value': 'configValue',
      'results[].configs[].synonyms': 'configSynonyms',
      'results[].configs[].synonyms[].name': 'configName',
      'results[].configs[].synonyms[].value': 'configValue',
      'results[].configs[].synonyms[].source': 'configSource',
    },
    added: { 'results[].configs[].isDefault': 'kafkajs derives it from the source' },
  },
  AlterConfigs: { renamed: { responses: 'resources' } },
  SaslAuthenticate: {
    // kafkajs puts the length back in front of the bytes, because its mechanisms expect it.
    reshaped: ({ authBytes, ...response }) => ({ ...response, authBytes: (authBytes as Buffer).subarray(4) }),
  },
  CreatePartitions: {
    nearest: (response) => ({ ...response, results: sortedByName(response.results) }),
    renamed: { results: 'topicErrors', 'results[].name': 'topic' },
  },
  DeleteGroups: { added: { 'results[].error': 'kafkajs makes an Error of the code' } },
  AlterPartitionReassignments: {
    renamed: {
      'responses[].name': 'topic',
      'responses[].partitions[].partitionIndex': 'partition',
    },
    dropped: {
      errorMessage: 'kafkajs reads it and throws it away',
      'responses[].partitions[].errorMessage': 'kafkajs reads it and throws it away',
    },
  },
  ListPartitionReassignments: {
    renamed: { 'topics[].partitions[].partitionIndex': 'partition' },
    dropped: { errorMessage: 'kafkajs reads it and throws it away' },
  },
} satisfies ResponseTable;

/** Sorts the list, because kafkajs sorts it too. */
function sortedByName<T extends { readonly name: string | null }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
}

/**
 * kafkajs drops the unit from the name of the throttle time. In the versions in which clients do the throttling, it
 * moves the time to another property and sets the original to 0. Only DeleteGroups has the full name; its v1 also has
 * the other two properties without values.
 */
function withThrottleTime({ throttleTime, clientSideThrottleTime, ...response }: Struct): Struct {
  if (throttleTime === undefined || 'throttleTimeMs' in response) return response;
  return { ...response, throttleTimeMs: clientSideThrottleTime ?? throttleTime };
}

/** kafkajs treats this code as the answer to an unsupported version, and decodes no further. */
const unsupportedVersion = 35;

const checker = new ResponseChecker({
  table,
  // kafkajs misreads the length of an unknown tagged field by one, and loses its position.
  skipsUnknownTags: false,
  errorCodes: kafkajsErrorCodes.filter((code) => code !== unsupportedVersion),
  summarizeRecords: (messages) =>
    (messages as readonly TheirMessage[]).map(
      ({ offset, value }): RecordSummary => ({ offset: BigInt(offset), value: value?.toString() ?? null }),
    ),
});

interface TheirMessage {
  readonly offset: string;
  readonly value: Buffer | null;
}

for (const client of kafkajsVersions.filter(isOurs)) {
  test(`kafkajs ${titleOf(client)} response`, async () => {
    await checker.check(apiByKey(client.key)!, client.version, async (bytes) =>
      withThrottleTime((await client.decodeResponse(bytes)) as Struct),
    );
  });
}

test('kafkajs responses: the table lists no difference that is gone', () => {
  assert.deepEqual(checker.unneededRows(), []);
});
