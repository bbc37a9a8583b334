import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, durationMs, int, list, string, untraced } from '../component/field-types.ts';
import { batching } from '../engine/batch-policy.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import {
  autoReplayNacks,
  brokers,
  checkpointLimit,
  clientId,
  isolation,
  multiHeader,
  rackId,
  startFromOldest,
  targetVersion,
  tlsField,
} from '../kafka/kafka-fields.ts';
import { sasl } from '../kafka/sasl-fields.ts';
import { parseTopicList } from '../kafka/topic-list.ts';

/** As the client that Bento uses has them. */
const partitionBytesMax = 1024 * 1024;
const responseBytesMax = 50 * 1024 * 1024;
const fetchWaitMs = 500;
const metadataMaxAgeMs = 600_000;

export const kafka = componentOf('input', {
  name: 'kafka',
  connectionsCountedBy: 'itself',
  about: 'Reads topics of a Kafka cluster as a member of a consumer group, or some of their partitions.',
  fields: {
    addresses: brokers('Addresses of brokers, any of which can name the others.'),
    topics: list(
      'Topics to read; several may be in one text. orders:0 and orders:0-10 are partitions of a topic.',
      string('A topic.'),
    ),
    target_version: targetVersion,
    tls: tlsField,
    sasl,
    consumer_group: string('The consumer group, whose members share the partitions.').or(''),
    client_id: clientId,
    rack_id: rackId,
    start_from_oldest: startFromOldest,
    checkpoint_limit: checkpointLimit(),
    auto_replay_nacks: autoReplayNacks,
    commit_period: durationMs('How often offsets are committed; also when partitions move and at the end.')
      .or('1s')
      .advanced(),
    transaction_isolation_level: isolation,
    max_processing_period: durationMs('How long a message may take.')
      .or('100ms')
      .advanced()
      .withoutEffect('members of a group stay in it however long messages take'),
    extract_tracing_map: untraced('extract_tracing_map'),
    new_root_span_with_link: untraced('new_root_span_with_link'),
    group: object('Times of the consumer group.', {
      session_timeout: durationMs('A member without a heartbeat for so long loses its partitions.').or('10s'),
      heartbeat_interval: durationMs('How often a member says that it is there.').or('3s'),
      rebalance_timeout: durationMs('How long members have to give up partitions.').or('60s'),
    }).advanced(),
    fetch_buffer_cap: int('Messages that wait.')
      .or(256)
      .advanced()
      .withoutEffect('the bytes that wait are limited, and not the messages'),
    multi_header: multiHeader,
    debug: bool('Whether more is logged.')
      .or(false)
      .advanced()
      .withoutEffect('what goes wrong is in the logs of the pipeline'),
    batching: batching.advanced(),
  },
  check({ topics, consumer_group: group }, reading, place) {
    if (topics === undefined) return;
    const parsed = parseTopicList(topics, { mayNameOffsets: false });
    if (typeof parsed === 'string') reading.problem(place, `topics ${parsed}`);
    else if (group === '' && parsed.topics.length > 0)
      reading.problem(place, 'consumer_group is missing; only partitions such as orders:0 are read without');
    else if (group !== undefined && group !== '' && parsed.partitions.size > 0)
      reading.problem(
        place,
        'topics names partitions, which a consumer_group shares by itself; leave one out',
      );
  },
  async open(values, context) {
    const { KafkaInput } = await import('../kafka/kafka-input.ts');
    const { sourceOf } = await import('../kafka/subscription.ts');
    const { foreignCluster, loginOf } = await import('../kafka/cluster-connection.ts');
    const { rangeBalancer } = await import('@weir/client');
    const { addresses, tls, client_id, group, consumer_group: groupId } = values;
    const login = await loginOf(values.sasl, context);
    const isReplayed = values.auto_replay_nacks;
    const input = new KafkaInput(
      {
        source: sourceOf(values.topics, false),
        isReplayed,
        group:
          groupId === ''
            ? undefined
            : {
                groupId,
                balancers: [rangeBalancer],
                sessionTimeoutMs: group.session_timeout ?? 10_000,
                rebalanceTimeoutMs: group.rebalance_timeout ?? 60_000,
                heartbeatMs: group.heartbeat_interval ?? 3_000,
                commitPeriodMs: values.commit_period ?? 1_000,
                metadataMaxAgeMs,
              },
        feed: {
          checkpointLimit: values.checkpoint_limit,
          isLimitStrict: true,
          hasMultiHeader: values.multi_header,
          hasLag: true,
        },
        fetch: {
          responseBytesMax,
          partitionBytesMax,
          maxWaitMs: fetchWaitMs,
          isolation: values.transaction_isolation_level,
          rackId: values.rack_id,
          reset: values.start_from_oldest ? 'earliest' : 'latest',
          metadataMaxAgeMs,
        },
        batching: values.batching,
        rateLimit: '',
        openCluster: await foreignCluster({ addresses, tls, login, clientId: client_id }, context),
      },
      context,
    );
    return isReplayed ? new ReplayedInput(input, context.clock) : input;
  },
});
