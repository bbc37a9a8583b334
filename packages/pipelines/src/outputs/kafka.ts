import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import {
  bool,
  durationMs,
  int,
  interpolated,
  list,
  map,
  oneOf,
  string,
  untraced,
} from '../component/field-types.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { atLeastOne, brokers, clientId, rackId, targetVersion, tlsField } from '../kafka/kafka-fields.ts';
import { sasl } from '../kafka/sasl-fields.ts';

/** As the client that Bento uses has it. */
const metadataMaxAgeMs = 600_000;

export const kafka = componentOf('output', {
  name: 'kafka',
  connectionsCountedBy: 'itself',
  about:
    'Writes to topics of a Kafka cluster. A batch is acknowledged when a broker has it, or all replicas.',
  fields: {
    addresses: brokers('Addresses of brokers, any of which can name the others.'),
    tls: tlsField,
    sasl,
    topic: interpolated('The topic.'),
    client_id: clientId,
    target_version: targetVersion,
    rack_id: rackId.withoutEffect('records are written to the leaders of their partitions'),
    key: interpolated('The key; an empty one is no key.').or(''),
    partitioner: oneOf('How the partition is chosen.', [
      'fnv1a_hash',
      'murmur2_hash',
      'random',
      'round_robin',
      'manual',
    ]).or('fnv1a_hash'),
    partition: interpolated('The partition, for the partitioner manual.').or('').advanced(),
    custom_topic_creation: object('Whether topics are created that are missing.', {
      enabled: bool('Whether they are.').or(false),
      partitions: int('Partitions of a new topic; -1 is the default of the cluster.').or(-1),
      replication_factor: int('Replicas of a new topic; -1 is the default of the cluster.').or(-1),
    }).advanced(),
    compression: oneOf('How batches are compressed.', ['none', 'snappy', 'lz4', 'gzip', 'zstd']).or('none'),
    static_headers: map('Headers of all records.', string('A value.')).or({}),
    metadata: object('Metadata that becomes headers: all of it, except for some.', {
      exclude_prefixes: list(
        'Metadata whose keys begin with one of these is left out.',
        string('A prefix.'),
      ).or([]),
    }),
    inject_tracing_map: untraced('inject_tracing_map'),
    max_in_flight: maxInFlight.or(64),
    idempotent_write: bool('Whether records are numbered, so that none is stored twice by a retry.')
      .or(false)
      .advanced(),
    ack_replicas: bool('Whether all replicas have to have a batch, and not only one broker.')
      .or(false)
      .advanced(),
    max_msg_bytes: int('Bytes of a batch of records before compression; a larger message is refused.')
      .or(1_000_000)
      .check(atLeastOne)
      .advanced(),
    timeout: durationMs('How long records are tried before they count as not written.').or('5s').advanced(),
    retry_as_batch: bool('Whether all messages of a batch are repeated if one was not written.')
      .or(false)
      .advanced(),
    batching,
    max_retries: int('How often messages are repeated before they count as not written; 0 is any number.')
      .or(0)
      .advanced(),
    backoff: object('Pauses between repetitions.', {
      initial_interval: durationMs('The first pause.').or('3s'),
      max_interval: durationMs('The longest pause.').or('10s'),
      max_elapsed_time: durationMs('The time for all repetitions; empty is without end.').or('30s'),
    }).advanced(),
  },
  check(values, reading, place) {
    const isNamed = values.partition !== undefined && values.partition.fixed !== '';
    if (values.partitioner === 'manual' && values.partition?.fixed === '')
      reading.problem(place, 'partition is missing; the partitioner manual needs it');
    if (values.partitioner !== undefined && values.partitioner !== 'manual' && isNamed)
      reading.problem(
        place,
        'partition is used only by the partitioner manual; set partitioner or leave it out',
      );
  },
  async open(values, context) {
    const { KafkaOutput } = await import('../kafka/kafka-output.ts');
    const { otherHeaders } = await import('../kafka/record-headers.ts');
    const { foreignCluster, loginOf } = await import('../kafka/cluster-connection.ts');
    const partitioners = await import('../kafka/partitioners.ts');
    const { addresses, tls, client_id, backoff } = values;
    const { random } = context;
    const login = await loginOf(values.sasl, context);
    const fixedHeaders = [...values.static_headers].map(([key, value]) => ({
      key,
      value: Buffer.from(value),
    }));
    const chosen = {
      fnv1a_hash: () => partitioners.fnv1aPartitioner(random),
      murmur2_hash: () => partitioners.murmur2OrRandomPartitioner(random),
      random: () => partitioners.randomPartitioner(random),
      round_robin: () => partitioners.roundRobinPartitioner(),
      manual: () => partitioners.roundRobinPartitioner(),
    };
    const { enabled, partitions, replication_factor: replicationFactor } = values.custom_topic_creation;
    const output = new KafkaOutput(
      {
        topic: values.topic,
        key: values.key,
        isAbsentKey: (key) => key.length === 0,
        partition: values.partitioner === 'manual' ? values.partition : undefined,
        partitioner: chosen[values.partitioner](),
        headersOf: (message) => [...otherHeaders(message, values.metadata.exclude_prefixes), ...fixedHeaders],
        recordsMax: Number.POSITIVE_INFINITY,
        topicsToCreate: enabled ? { partitions, replicationFactor } : undefined,
        retries: {
          countMax: values.max_retries,
          firstMs: backoff.initial_interval ?? 0,
          maxMs: backoff.max_interval ?? 0,
          elapsedMsMax: backoff.max_elapsed_time ?? 0,
          isWhole: values.retry_as_batch,
        },
        producer: {
          acks: values.ack_replicas ? 'all' : '1',
          codec: values.compression,
          isIdempotent: values.idempotent_write,
          batchBytesMax: values.max_msg_bytes,
          timeoutMs: values.timeout ?? 5_000,
          metadataMaxAgeMs,
        },
        openCluster: await foreignCluster({ addresses, tls, login, clientId: client_id }, context),
      },
      context,
    );
    return pacedOutput(output, values, context);
  },
});
