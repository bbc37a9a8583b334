import { apis, encodeRequest } from '@weir/wire';
import type { CostListener } from '../listener.ts';

function frame(name: keyof typeof apis, version: number, body: object): Buffer {
  const header = { correlationId: 1, clientId: 'cost' };
  return Buffer.concat(encodeRequest(apis[name] as never, version, header, body as never));
}

const names = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `n${String(index).padStart(length, '0')}`);

/** The Kafka port. */
export const kafkaListener: CostListener = {
  name: 'kafka',
  bytesMax: 4 << 20,
  portOf: ({ kafka }) => kafka,
  answerOf: (received) => (received.length >= 4 ? 'answer' : undefined),
  seeds: () => [
    {
      name: 'Metadata: topics',
      sizes: { topics: 100, nameLength: 4 },
      build: ({ topics, nameLength }) =>
        frame('Metadata', 8, {
          topics: names(topics!, nameLength!).map((name) => ({ name })),
          allowAutoTopicCreation: false,
          includeClusterAuthorizedOperations: false,
          includeTopicAuthorizedOperations: false,
        }),
    },
    {
      name: 'DescribeGroups: groups',
      sizes: { groups: 100, nameLength: 4 },
      build: ({ groups, nameLength }) =>
        frame('DescribeGroups', 4, {
          groups: names(groups!, nameLength!),
          includeAuthorizedOperations: false,
        }),
    },
    {
      name: 'DescribeConfigs: resources',
      sizes: { resources: 100, keys: 1 },
      build: ({ resources, keys }) =>
        frame('DescribeConfigs', 3, {
          resources: names(resources!, 4).map((resourceName) => ({
            resourceType: 2,
            resourceName,
            configurationKeys: names(keys!, 2),
          })),
          includeSynonyms: true,
          includeDocumentation: true,
        }),
    },
    {
      name: 'FindCoordinator: keys',
      sizes: { keys: 100 },
      build: ({ keys }) => frame('FindCoordinator', 4, { keyType: 0, coordinatorKeys: names(keys!, 4) }),
    },
    {
      name: 'ListOffsets: partitions',
      sizes: { topics: 1, partitions: 100 },
      build: ({ topics, partitions }) =>
        frame('ListOffsets', 5, {
          replicaId: -1,
          isolationLevel: 0,
          topics: names(topics!, 4).map((name) => ({
            name,
            partitions: Array.from({ length: partitions! }, (_, partitionIndex) => ({
              partitionIndex,
              currentLeaderEpoch: -1,
              timestamp: -1n,
            })),
          })),
        }),
    },
    {
      name: 'Fetch: partitions',
      sizes: { topics: 1, partitions: 100 },
      build: ({ topics, partitions }) =>
        frame('Fetch', 11, {
          replicaId: -1,
          maxWaitMs: 0,
          minBytes: 0,
          maxBytes: 1,
          isolationLevel: 0,
          sessionId: 0,
          sessionEpoch: -1,
          topics: names(topics!, 4).map((topic) => ({
            topic,
            partitions: Array.from({ length: partitions! }, (_, partition) => ({
              partition,
              currentLeaderEpoch: -1,
              fetchOffset: 0n,
              logStartOffset: -1n,
              partitionMaxBytes: 1,
            })),
          })),
          forgottenTopicsData: [],
          rackId: '',
        }),
    },
    {
      name: 'OffsetFetch: partitions',
      sizes: { topics: 1, partitions: 100 },
      build: ({ topics, partitions }) =>
        frame('OffsetFetch', 7, {
          groupId: 'g',
          topics: names(topics!, 4).map((name) => ({
            name,
            partitionIndexes: Array.from({ length: partitions! }, (_, index) => index),
          })),
          requireStable: false,
        }),
    },
    {
      name: 'CreateTopics: topics that exist only in the check',
      sizes: { topics: 20, configs: 1, nameLength: 2 },
      build: ({ topics, configs, nameLength }) =>
        frame('CreateTopics', 4, {
          topics: names(topics!, 4).map((name) => ({
            name,
            numPartitions: 1,
            replicationFactor: 1,
            assignments: [],
            configs: names(configs!, nameLength!).map((config) => ({ name: config, value: '1' })),
          })),
          timeoutMs: 1_000,
          validateOnly: true,
        }),
    },
    {
      name: 'IncrementalAlterConfigs: groups that are only checked',
      sizes: { groups: 20, configs: 1, nameLength: 2 },
      build: ({ groups, configs, nameLength }) =>
        frame('IncrementalAlterConfigs', 1, {
          resources: names(groups!, 4).map((resourceName) => ({
            resourceType: 32,
            resourceName,
            configs: names(configs!, nameLength!).map((name) => ({ name, configOperation: 0, value: '1' })),
          })),
          validateOnly: true,
        }),
    },
  ],
};
