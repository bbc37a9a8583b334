import { apis, buildRecordBatch, type CompressionCodec, encodeRequest, layoutOf } from '@weir/wire';
import type { ServedApi } from '../../../packages/broker/src/dispatch/handler-table.ts';
import { listWork } from '../../../packages/broker/src/dispatch/list-work.ts';
import { listPaths, structMaker } from '../../../packages/broker/testing/long-lists.ts';
import { type CostListener, listed, nested, sendTo } from '../listener.ts';
import type { Seed, Sizes } from '../search.ts';
import type { Addresses } from '../served-process.ts';
import { registerSchema } from './registry.ts';

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
  answerOf,
  prepare,
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
    {
      name: 'DescribeTopicPartitions: topics',
      sizes: { topics: 100, nameLength: 4, partitions: 10 },
      build: ({ topics, nameLength, partitions }) =>
        frame('DescribeTopicPartitions', 0, {
          // Before and behind a topic that exists.
          topics: [...names(topics!, nameLength!), validated].map((name) => ({ name })),
          responsePartitionLimit: partitions!,
          cursor: null,
        }),
    },
    ...codecs.flatMap((codec) => compressedSeeds(codec)),
    {
      name: 'Produce: values with names, by a JSON Schema',
      sizes: { records: 10, names: 10 },
      build: ({ records, names }) =>
        validatedProduce(records!, `{${listed(names!, (index) => `"n${index}":{"a":[1]}`)}}`),
    },
    {
      name: 'Produce: values that nest, by a JSON Schema',
      sizes: { records: 10, depth: 4 },
      build: ({ records, depth }) => validatedProduce(records!, nested(depth!, '{"a":', '}')),
    },
    {
      name: 'Produce: lists, by a JSON Schema',
      sizes: { records: 10, items: 10 },
      build: ({ records, items }) =>
        validatedProduce(records!, `{"list":[${listed(items!, (index) => `{"n":${index}}`)}]}`),
    },
    ...listSeeds(),
  ],
};

/** Kafka keeps only the last record of each key of this one, so that batches are decompressed. */
const compacted = 'cost-compacted';
/** Its values have to fit a schema. */
const validated = 'cost-validated';
const codecs: readonly CompressionCodec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
/** The last one without compact lengths, so that answers are easy to read. */
const produceVersion = 8;
let schemaId = 0;

/** Unions, patterns and distinct items make the schema expensive. */
const schema = {
  $ref: '#/$defs/any',
  $defs: {
    any: {
      anyOf: [{ type: 'string', pattern: '^(a+)+$' }, { $ref: '#/$defs/object' }, { type: 'number' }],
    },
    object: {
      type: 'object',
      propertyNames: { maxLength: 1_000 },
      additionalProperties: { anyOf: [{ $ref: '#/$defs/list' }, { $ref: '#/$defs/any' }] },
    },
    list: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/any' } },
  },
};

async function prepare(addresses: Addresses): Promise<void> {
  schemaId = await registerSchema(addresses, `${validated}-value`, schema);
  const configs = {
    [compacted]: { name: 'cleanup.policy', value: 'compact' },
    [validated]: { name: 'service.value.schema.validation', value: 'true' },
  };
  const topics = Object.entries(configs).map(([name, config]) => ({
    name,
    numPartitions: 10,
    replicationFactor: 1,
    assignments: [],
    configs: [config],
  }));
  await sendTo(
    kafkaListener,
    addresses,
    frame('CreateTopics', 4, { topics, timeoutMs: 5_000, validateOnly: false }),
  );
  const answer = await sendTo(kafkaListener, addresses, validatedProduce(1, '{"a":[1]}'));
  if (answer !== 'answer NONE') throw new Error(`the topics cannot be written to: ${answer}`);
}

/** Of a Produce, what became of its first batch: what is refused costs little. */
function answerOf(received: Buffer, sent: Buffer): string | undefined {
  if (received.length < 4 || received.length < 4 + received.readInt32BE(0)) return undefined;
  if (sent.readInt16BE(4) !== apis.Produce.key || sent.readInt16BE(6) !== produceVersion) return 'answer';
  // The length, the number of the request, the topics, the name, the partitions, and the index of the first.
  const at = 4 + 4 + 4 + 2 + received.readInt16BE(12) + 4 + 4;
  const code = received.readInt16BE(at);
  return code === 0 ? 'answer NONE' : `error ${code}`;
}

function produceOf(topic: string, batches: readonly Buffer[]): Buffer {
  return frame('Produce', produceVersion, {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1_000,
    topicData: [{ name: topic, partitionData: batches.map((records, index) => ({ index, records })) }],
  });
}

function compressedSeeds(codec: CompressionCodec): readonly Seed[] {
  const key = Buffer.from('k');
  const batchOf = (records: number, valueBytes: number) => {
    const value = Buffer.alloc(valueBytes);
    return buildRecordBatch(
      Array.from({ length: records }, () => ({ timestamp: 0n, key, value })),
      { codec },
    );
  };
  return [
    {
      name: `Produce: a batch of zeros in ${codec}`,
      sizes: { records: 10, valueBytes: 100 },
      build: ({ records, valueBytes }) =>
        records! * valueBytes! > inflatedBytesMax
          ? tooLarge
          : produceOf(compacted, [batchOf(records!, valueBytes!)]),
    },
    {
      name: `Produce: batches of zeros in ${codec}`,
      sizes: { batches: 2, valueBytes: 10_000 },
      build: ({ batches, valueBytes }) =>
        batches! > 10 || valueBytes! > inflatedBytesMax
          ? tooLarge
          : produceOf(compacted, new Array(batches!).fill(batchOf(1, valueBytes!))),
    },
  ];
}

/** Larger contents of batches take long to make, and the agent refuses them. */
const inflatedBytesMax = 64 << 20;
/** More than any input may have. */
const tooLarge = Buffer.alloc((4 << 20) + 1);

function validatedProduce(records: number, json: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  const value = Buffer.concat([head, Buffer.from(json)]);
  if (records * value.length > inflatedBytesMax) return tooLarge;
  const all = Array.from({ length: records }, () => ({ timestamp: 0n, key: null, value }));
  return produceOf(validated, [buildRecordBatch(all, { codec: 'zstd' })]);
}

/** Every list of every request; those that make topics have seeds of their own. */
function listSeeds(): readonly Seed[] {
  const served = (Object.keys(listWork) as ServedApi[]).filter(
    (name) => listWork[name] !== 'noList' && name !== 'CreateTopics',
  );
  return served.flatMap((name) => {
    const version = apis[name].highestStableVersion;
    const layout = layoutOf(apis[name].request, version);
    return listPaths(layout).map((path) => ({
      name: `${name}: ${path}`,
      sizes: { entries: 1_000 },
      build: ({ entries }: Sizes) => {
        const body = structMaker(layout, { path, entries: entries!, isRepeated: false })(0);
        // Otherwise there is no answer.
        return frame(name, version, name === 'Produce' ? { ...body, acks: -1 } : body);
      },
    }));
  });
}
