import type { ComponentContext } from '../component/component-context.ts';
import { type ComponentSpec, componentOf } from '../component/component-spec.ts';
import { type Fields, object, type Values } from '../component/field.ts';
import { bool, bytes, durationMs, int, interpolated, oneOf } from '../component/field-types.ts';
import type { Output } from '../component/instances.ts';
import { MetadataFilter, metadataFilter } from '../component/metadata-filter.ts';
import type { Reading, TextPlace } from '../component/reading.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import type { OpenCluster } from '../kafka/cluster-connection.ts';
import { atLeastOne, brokers, clientId, rackId, tlsField } from '../kafka/kafka-fields.ts';
import type { Partitioner } from '../kafka/partitioners.ts';
import { saslList } from '../kafka/sasl-fields.ts';

const writingFields = {
  topic: interpolated('The topic.'),
  key: interpolated('The key; a query that returns null is no key.').optional(),
  partitioner: oneOf('How the partition is chosen; murmur2_hash by default.', [
    'murmur2_hash',
    'round_robin',
    'least_backup',
    'uniform_bytes',
    'manual',
  ])
    .optional()
    .advanced(),
  uniform_bytes_options: object('For the partitioner uniform_bytes.', {
    bytes: bytes('Bytes that go to one partition before another is chosen.').or('1MB'),
    adaptive: bool('Whether partitions are preferred for which little waits.').or(false),
    keys: bool('Whether records with a key are placed by it.').or(false),
  }).advanced(),
  partition: interpolated('The partition, for the partitioner manual.').optional(),
  client_id: clientId,
  rack_id: rackId.withoutEffect('records are written to the leaders of their partitions'),
  idempotent_write: bool('Whether records are numbered, so that none is stored twice by a retry.')
    .or(true)
    .advanced(),
  metadata: metadataFilter('Metadata that becomes headers.'),
  max_in_flight: maxInFlight.or(10),
  timeout: durationMs('How long records are tried before they count as not written.').or('10s').advanced(),
  batching,
  max_message_bytes: bytes('Bytes of a batch of records before compression; a larger message is refused.')
    .or('1MB')
    .advanced(),
  max_buffered_records: int('Records that may wait.').or(10_000).check(atLeastOne).advanced(),
  metadata_max_age: durationMs('How long the leaders of partitions are remembered.').or('5m').advanced(),
  compression: oneOf('How batches are compressed; snappy by default.', [
    'lz4',
    'snappy',
    'gzip',
    'none',
    'zstd',
  ])
    .optional()
    .advanced(),
} satisfies Fields;

type WritingValues = Values<typeof writingFields>;

function checkPartition(values: WritingValues, reading: Reading, place: TextPlace): void {
  const isNamed = values.partition !== undefined && values.partition.fixed !== '';
  if (values.partitioner === 'manual' && !isNamed)
    reading.problem(place, 'partition is missing; the partitioner manual needs it');
  if (values.partitioner !== 'manual' && isNamed)
    reading.problem(
      place,
      'partition is used only by the partitioner manual; set partitioner or leave it out',
    );
}

async function openWriting(
  values: WritingValues,
  openCluster: OpenCluster,
  context: ComponentContext,
): Promise<Output> {
  const { KafkaOutput } = await import('../kafka/kafka-output.ts');
  const { includedHeaders } = await import('../kafka/record-headers.ts');
  const filter = new MetadataFilter(values.metadata);
  const output = new KafkaOutput(
    {
      topic: values.topic,
      key: values.key,
      isAbsentKey: (key) => key.equals(nullText),
      partition: values.partitioner === 'manual' ? values.partition : undefined,
      partitioner: await partitionerOf(values, context),
      headersOf: (message) => includedHeaders(message, filter),
      recordsMax: values.max_buffered_records,
      producer: {
        acks: 'all',
        codec: values.compression ?? 'snappy',
        isIdempotent: values.idempotent_write,
        batchBytesMax: values.max_message_bytes,
        timeoutMs: values.timeout ?? 10_000,
        metadataMaxAgeMs: values.metadata_max_age ?? 300_000,
      },
      openCluster,
    },
    context,
  );
  return pacedOutput(output, values, context);
}

/** A query without a result is the text null, and no key. */
const nullText = Buffer.from('null');

async function partitionerOf(values: WritingValues, { random }: ComponentContext): Promise<Partitioner> {
  const partitioners = await import('../kafka/partitioners.ts');
  const { bytes: bytesMax, adaptive, keys } = values.uniform_bytes_options;
  switch (values.partitioner) {
    case 'round_robin':
      return partitioners.roundRobinPartitioner();
    case 'least_backup':
      return partitioners.leastBackupPartitioner(random);
    case 'uniform_bytes':
      return partitioners.uniformBytesPartitioner(random, { bytesMax, isAdaptive: adaptive, hasKeys: keys });
    default:
      return partitioners.murmur2Partitioner(random);
  }
}

export const kafkaFranz: ComponentSpec<'output'> = componentOf('output', {
  name: 'kafka_franz',
  connectionsCountedBy: 'itself',
  about: 'Writes to topics of a Kafka cluster. A batch is acknowledged when all replicas have it.',
  fields: {
    seed_brokers: brokers('Addresses of brokers, any of which can name the others.'),
    ...writingFields,
    tls: tlsField,
    sasl: saslList,
  },
  check: (values, reading, place) => checkPartition(values, reading, place),
  async open(values, context) {
    const { foreignCluster, loginOfList } = await import('../kafka/cluster-connection.ts');
    const { seed_brokers: addresses, tls, sasl, client_id } = values;
    const login = await loginOfList(sasl, context);
    const openCluster = await foreignCluster({ addresses, tls, login, clientId: client_id }, context);
    return openWriting(values, openCluster, context);
  },
});

export const kafkaFranzService: ComponentSpec<'output'> = componentOf('output', {
  name: 'kafka_franz_service',
  connectionsCountedBy: 'itself',
  about: 'Writes to topics of the cluster that the pipeline belongs to. Addresses and credentials are known.',
  fields: writingFields,
  check: (values, reading, place) => checkPartition(values, reading, place),
  async open(values, context) {
    const { ownCluster } = await import('../kafka/cluster-connection.ts');
    return openWriting(values, ownCluster(values.client_id, context), context);
  },
});
