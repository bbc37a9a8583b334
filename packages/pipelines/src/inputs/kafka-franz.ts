import type { Balancer } from '@weir/client';
import type { ComponentContext } from '../component/component-context.ts';
import { type ComponentSpec, componentOf } from '../component/component-spec.ts';
import type { Fields, Values } from '../component/field.ts';
import {
  bool,
  bytes,
  durationMs,
  int,
  list,
  oneOf,
  resource,
  string,
  untraced,
} from '../component/field-types.ts';
import type { Input } from '../component/instances.ts';
import type { Reading, TextPlace } from '../component/reading.ts';
import { batching } from '../engine/batch-policy.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import type { OpenCluster } from '../kafka/cluster-connection.ts';
import {
  autoReplayNacks,
  brokers,
  checkpointLimit,
  clientId,
  isolation,
  multiHeader,
  rackId,
  startFromOldest,
  tlsField,
} from '../kafka/kafka-fields.ts';
import { saslList } from '../kafka/sasl-fields.ts';
import { parseTopicList } from '../kafka/topic-list.ts';
import { compileTopicPatterns } from '../kafka/topic-patterns.ts';

const balancerNames = ['cooperative_sticky', 'range', 'round_robin', 'sticky'] as const;

const readingFields = {
  topics: list(
    'Topics to read; several may be in one text. orders:0 and orders:0-10 are partitions of a topic, orders:0:100 begins at an offset.',
    string('A topic.'),
  ),
  regexp_topics: bool('Whether topics are regular expressions (RE2), which find something in a name.').or(
    false,
  ),
  consumer_group: string(
    'The consumer group, whose members share the partitions; without one, all are read and nothing is committed.',
  ).or(''),
  client_id: clientId,
  rack_id: rackId,
  checkpoint_limit: checkpointLimit().advanced(),
  auto_replay_nacks: autoReplayNacks,
  commit_period: durationMs('How often offsets are committed; also when partitions move and at the end.')
    .or('5s')
    .advanced(),
  start_from_oldest: startFromOldest,
  reconnect_on_unknown_topic_or_partition: bool('Whether topics that are not found are looked up again.')
    .or(false)
    .advanced()
    .withoutEffect('topics are always looked up again'),
  auto_offset_reset: oneOf('Where to begin without an offset; it goes before start_from_oldest.', [
    'earliest',
    'latest',
    'none',
  ])
    .optional()
    .advanced(),
  group_balancers: list(
    'How the group shares partitions, by preference.',
    oneOf('A balancer.', balancerNames),
  )
    .or(['cooperative_sticky'])
    .check((names) =>
      names.includes('sticky')
        ? 'cannot have sticky in this release; use cooperative_sticky'
        : names.length === 0
          ? 'has to name a balancer'
          : undefined,
    )
    .advanced(),
  metadata_max_age: durationMs('How often topics are looked up, to find new ones and new partitions.')
    .or('5m')
    .advanced(),
  fetch_max_bytes: bytes('Bytes of an answer, and of all records that wait here.').or('50MiB').advanced(),
  fetch_max_partition_bytes: bytes('Bytes of a partition in an answer.').or('1MiB').advanced(),
  fetch_max_wait: durationMs('How long a broker may wait for records.').or('5s').advanced(),
  preferring_lag: int('Partitions that are so many records behind are fetched before others.')
    .optional()
    .advanced(),
  transaction_isolation_level: isolation,
  multi_header: multiHeader,
  batching: batching.advanced(),
  rate_limit: resource('rate_limit', 'A rate limit on batches.').or('').advanced(),
  extract_tracing_map: untraced('extract_tracing_map'),
  new_root_span_with_link: untraced('new_root_span_with_link'),
} satisfies Fields;

type ReadingValues = Values<typeof readingFields>;

/** Absent fields are not known yet: they refer to variables or secrets. */
function checkTopics(values: ReadingValues, reading: Reading, place: TextPlace): void {
  const { topics, consumer_group: group, regexp_topics: isPattern } = values;
  if (topics === undefined) return;
  if (isPattern) {
    const patterns = compileTopicPatterns(topics);
    if (typeof patterns === 'string') reading.problem(place, `topics ${patterns}`);
    return;
  }
  const parsed = parseTopicList(topics, { mayNameOffsets: true });
  if (typeof parsed === 'string') reading.problem(place, `topics ${parsed}`);
  else if (parsed.partitions.size > 0 && group !== undefined && group !== '')
    reading.problem(place, 'topics names partitions, which a consumer_group shares by itself; leave one out');
}

async function openReading(
  values: ReadingValues,
  openCluster: OpenCluster,
  context: ComponentContext,
): Promise<Input> {
  const { KafkaInput } = await import('../kafka/kafka-input.ts');
  const { sourceOf } = await import('../kafka/subscription.ts');
  const client = await import('@weir/client');
  const balancers: Readonly<Record<(typeof balancerNames)[number], Balancer>> = {
    cooperative_sticky: client.cooperativeStickyBalancer,
    range: client.rangeBalancer,
    round_robin: client.roundRobinBalancer,
    // Refused when the configuration is read.
    sticky: client.cooperativeStickyBalancer,
  };
  const source = sourceOf(values.topics, values.regexp_topics);
  const metadataMaxAgeMs = values.metadata_max_age ?? 300_000;
  const [first, ...others] = [...new Set(values.group_balancers)].map((name) => balancers[name]);
  const isReplayed = values.auto_replay_nacks;
  const input = new KafkaInput(
    {
      source,
      isReplayed,
      group:
        values.consumer_group === ''
          ? undefined
          : {
              groupId: values.consumer_group,
              balancers: [first!, ...others],
              sessionTimeoutMs: 45_000,
              rebalanceTimeoutMs: 60_000,
              heartbeatMs: 3_000,
              commitPeriodMs: values.commit_period ?? 5_000,
              metadataMaxAgeMs,
            },
      feed: {
        checkpointLimit: values.checkpoint_limit,
        isLimitStrict: false,
        hasMultiHeader: values.multi_header,
        hasLag: false,
      },
      fetch: {
        responseBytesMax: values.fetch_max_bytes,
        partitionBytesMax: values.fetch_max_partition_bytes,
        maxWaitMs: values.fetch_max_wait ?? 5_000,
        isolation: values.transaction_isolation_level,
        rackId: values.rack_id,
        reset: values.auto_offset_reset ?? (values.start_from_oldest ? 'earliest' : 'latest'),
        metadataMaxAgeMs,
        preferredLag: values.preferring_lag,
      },
      batching: values.batching,
      rateLimit: values.rate_limit,
      openCluster,
    },
    context,
  );
  return isReplayed ? new ReplayedInput(input, context.clock) : input;
}

export const kafkaFranz: ComponentSpec<'input'> = componentOf('input', {
  name: 'kafka_franz',
  connectionsCountedBy: 'itself',
  about: 'Reads topics of a Kafka cluster, alone or as a member of a consumer group.',
  fields: {
    seed_brokers: brokers('Addresses of brokers, any of which can name the others.'),
    ...readingFields,
    tls: tlsField,
    sasl: saslList,
  },
  check: (values, reading, place) => checkTopics(values, reading, place),
  async open(values, context) {
    const { foreignCluster, loginOfList } = await import('../kafka/cluster-connection.ts');
    const { seed_brokers: addresses, tls, sasl, client_id } = values;
    const login = await loginOfList(sasl, context);
    const openCluster = await foreignCluster({ addresses, tls, login, clientId: client_id }, context);
    return openReading(values, openCluster, context);
  },
});

export const kafkaFranzService: ComponentSpec<'input'> = componentOf('input', {
  name: 'kafka_franz_service',
  connectionsCountedBy: 'itself',
  about: 'Reads topics of the cluster that the pipeline belongs to. Addresses and credentials are known.',
  fields: readingFields,
  check: (values, reading, place) => checkTopics(values, reading, place),
  async open(values, context) {
    const { ownCluster } = await import('../kafka/cluster-connection.ts');
    return openReading(values, ownCluster(values.client_id, context), context);
  },
});
