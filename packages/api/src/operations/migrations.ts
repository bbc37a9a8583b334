import * as z from 'zod';
import { count, document, examples, flag, integer, list, text, time, topicId, topicName } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { pipelineStates } from '../pipeline-types.ts';

/** `refused` is a topic that cannot be copied, and `waiting` one that is not created yet. */
const migrationTopicStates = ['waiting', 'refused', 'replicating', 'proxy', 'blocked', 'migrated'] as const;
export type MigrationTopicState = (typeof migrationTopicStates)[number];

/** What holds back the cut-over of a topic. */
const cutOverHolds = [
  'not_copied',
  'pipeline_paused',
  'no_agent',
  'not_forwarding',
  'no_report',
  'source_failing',
  'copy_failing',
  'partition_stopped',
  'unproxied_writes',
  'lag',
  'open_transaction',
  'unconfirmed_agents',
  'cut_over_waits',
] as const;
export type CutOverHold = (typeof cutOverHolds)[number];

const line = () => text(apiLimits.migrationMessageCharsMax);
const sourceName = () => text(apiLimits.migrationMessageCharsMax);
const pipelineId = () => id('pipeline');

const hold = z
  .object({
    code: z.enum(cutOverHolds).describe('What it is.'),
    message: line().describe('What it is and what to do, in one line.'),
  })
  .meta({ id: 'CutOverHold', description: 'What holds back the cut-over of a topic.' });

const sums = {
  lag_offsets: count()
    .optional()
    .describe(
      'How many offsets the copy is behind the source, if known; of a compacted topic, there are fewer records.',
    ),
  source_offsets: count()
    .optional()
    .describe('Offsets between the log starts and the ends of the source, if known.'),
  copied_offsets: count().describe('Offsets between the log starts and the ends of the copy.'),
  bytes: count().describe('The size of the copy.'),
  bytes_per_second: z.number().min(0).describe('What is copied, over the last seconds.'),
  records_per_second: z.number().min(0).describe('The same in records.'),
  eta_seconds: count()
    .optional()
    .describe('When the copy has caught up at this rate, if it is behind and something is copied.'),
  forwarded_records: count().describe(
    'Records that agents passed on to the source since the leader of the cluster leads.',
  ),
  unproxied_records: count()
    .optional()
    .describe('Records that the source got from others while agents forwarded, if counted.'),
  stopped_partitions: count().describe('Partitions that are not copied any more until an operator acts.'),
};

const migrationTopic = z
  .object({
    topic: topicName().describe('Its name here.'),
    topic_id: topicId().optional().describe('Its id here; absent if there is none yet.'),
    source_topic: sourceName().describe('Its name at the source.'),
    state: z
      .enum(migrationTopicStates)
      .describe(
        '`replicating`: clients only read. `proxy`: agents pass what clients write on to the source. `blocked`: no writes while the copy catches up. `migrated`: clients write here, for good. `waiting`: not created yet. `refused`: `error` says why.',
      ),
    epoch: count().optional().describe('Rises with each change of the state.'),
    changed_at: time().optional().describe('When the state began.'),
    changed_by: text(apiLimits.apiTextCharsMax)
      .optional()
      .describe('Who changed it: a user, a key, `migration` or `timeout`.'),
    reason: line().optional().describe('Why, if something was said.'),
    cut_over_requested: z.boolean().describe('Whether a cut-over was initiated and has not ended.'),
    deadline: time().optional().describe('When the cut-over ends by itself and agents forward again.'),
    partition_count: count().describe('Its partitions here, or at the source if there is none here.'),
    ...sums,
    reported_at: time().optional().describe('When an agent last said where the source ends.'),
    error: line().optional().describe('What goes wrong, in one line.'),
    holds: list(hold, cutOverHolds.length).describe('What holds back the cut-over; empty if nothing does.'),
  })
  .meta({ id: 'MigrationTopic', description: 'A topic that a migration copies.' });

const migrationPartition = z
  .object({
    partition: count().describe('The partition.'),
    first_offset: count().describe('The first offset of the copy.'),
    next_offset: count().describe('The end of the copy.'),
    last_stable_offset: count().describe('Where the first open transaction begins, or the end.'),
    source_first_offset: count().optional().describe('The first offset of the source, if known.'),
    source_next_offset: count().optional().describe('The end of the source, if known.'),
    lag_offsets: count().optional().describe('How far the copy is behind, if known.'),
    is_stopped: z.boolean().describe('Whether it is not copied any more until an operator acts.'),
    error: line().optional().describe('Why.'),
  })
  .meta({ id: 'MigrationPartition', description: 'A partition that a migration copies.' });

const topics = () => list(topicName(), apiLimits.migrationTopicsPerCallMax, 1);

const chosenTopics = (absent: string) =>
  topics().optional().describe(`The topics by their names here, all or none; ${absent}.`);

const validateOnly = () => flag('Whether to say what would change, and change nothing.');
const reason = () => text(200).optional().describe('Why, in one line, for those who read it later.');

const changes = z.object({
  topics: list(
    z.object({
      topic: topicName().describe('The topic.'),
      state_before: z.enum(migrationTopicStates).describe('The state before.'),
      state: z.enum(migrationTopicStates).describe('The state now.'),
      cut_over_requested: z.boolean().describe('Whether a cut-over is under way now.'),
      deadline: time().optional().describe('When the cut-over ends by itself.'),
    }),
    apiLimits.describedMigrationTopicsMax,
  ).describe('The topics that changed, or would with `validate_only`.'),
});

const exampleSums = {
  lag_offsets: 120,
  source_offsets: 1_200_000,
  copied_offsets: 1_199_880,
  bytes: 524_288_000,
  bytes_per_second: 52_428_800,
  records_per_second: 120_000,
  eta_seconds: 1,
  forwarded_records: 0,
  stopped_partitions: 0,
};

const exampleTopic = {
  topic: 'orders',
  topic_id: examples.topicId,
  source_topic: 'orders',
  state: 'replicating',
  epoch: 1,
  changed_at: examples.time,
  changed_by: 'migration',
  cut_over_requested: false,
  partition_count: 12,
  ...exampleSums,
  reported_at: examples.time,
  holds: [
    {
      code: 'not_forwarding',
      message: 'agents do not forward writes yet: orbit/auto_migration/start_forwarding',
    },
  ],
} as const;

const fates = ['created', 'continued', 'refused', 'not_selected'] as const;

const configOutcome = z.object({
  name: text(1000).describe('The config.'),
  value: text(1000).describe('Its value at the source.'),
  fate: z
    .enum(['copied', 'without_effect', 'left_out', 'refused'])
    .describe('The outcome: `without_effect` is kept and does nothing here.'),
  reason: line().optional().describe('Why.'),
});

const finding = z.object({
  severity: z
    .enum(['blocking', 'warning', 'note'])
    .describe(
      '`blocking`: it, or its topic, cannot be copied until an operator acts. `warning`: something will differ.',
    ),
  subject: line().describe('What it is about, such as `topic orders`.'),
  message: line().describe('What is so and what to do, in one line.'),
});

const preflight = z.object({
  is_ready: z.boolean().describe('Whether nothing blocks the migration as a whole.'),
  findings: list(finding, apiLimits.preflightRowsMax).describe('What to know, the most severe first.'),
  source: z
    .object({
      cluster_id: line().nullable().describe('The id of the source.'),
      broker_count: count().describe('Its brokers.'),
      has_topic_ids: z.boolean().describe('Whether its topics have ids (Kafka 2.8).'),
      knows_epochs: z.boolean().describe('Whether it says where epochs of leaders end (Kafka 2.1).'),
    })
    .describe('The source.'),
  topics: list(
    z.object({
      source_topic: sourceName().describe('Its name at the source.'),
      topic: sourceName().optional().describe('Its name here, if it is copied.'),
      fate: z.enum(fates).describe('The outcome: `continued` is one that the migration has already.'),
      reason: line().optional().describe('Why.'),
      partition_count: count().describe('Its partitions.'),
      offsets: count().describe('Offsets between log starts and ends: no less than there are records.'),
      bytes: count().optional().describe('Of one replica, if the source says.'),
      configs: list(configOutcome, apiLimits.preflightConfigsMax).describe(
        'Configs that are not copied as they are; those that are copied are not listed.',
      ),
      copied_configs: count().describe('How many configs are copied.'),
    }),
    apiLimits.preflightRowsMax,
  ).describe('Topics of the source.'),
  cluster_configs: list(configOutcome, apiLimits.preflightConfigsMax).describe(
    'Configs of the brokers of the source, if the configuration copies them.',
  ),
  acls: list(
    z.object({
      acl: line().describe('The ACL at the source.'),
      created: list(line(), apiLimits.preflightConfigsMax).describe('Those that are created here.'),
      note: line().optional().describe('What to know about it.'),
    }),
    apiLimits.preflightRowsMax,
  ).describe('ACLs of the source, if the configuration copies them.'),
  groups: list(
    z.object({
      group_id: line().describe('The group at the source.'),
      destination: line().describe('Its name here.'),
      fate: z
        .enum(['copied', 'waits', 'left_out'])
        .describe('The outcome for its offsets: `waits` if it has members here.'),
      reason: line().optional().describe('Why.'),
      partition_count: count().describe('Partitions of topics that are copied, for which it has committed.'),
      state: line().describe('Its state at the source.'),
    }),
    apiLimits.preflightRowsMax,
  ).describe('Groups of the source.'),
  totals: z
    .object({
      topics: count().describe('Topics that are copied.'),
      partitions: count().describe('Their partitions.'),
      offsets: count().describe('Their offsets.'),
      bytes: count().optional().describe('Their bytes, if the source says.'),
      groups: count().describe('Groups whose offsets are copied.'),
      acls: count().describe('ACLs that are created.'),
    })
    .describe('The sums.'),
  rows_left_out: count().describe('Findings, topics, ACLs and groups beyond what is listed.'),
});

const errors = ['conflict', 'unsupported_cluster_type'] as const;

export const migrationOperations = [
  defineClusterOperation({
    name: 'orbit/preflight',
    title: 'Preflight a migration',
    summary: 'Check a source, and say what will become of each of its topics, configs, ACLs and groups.',
    description:
      'An agent asks the source with the credentials of the configuration, and changes nothing, neither there nor here. Give a pipeline, or a configuration that is not stored. Since agents log in wherever the configuration says, it takes the rights of a change.',
    input: clusterInput({
      pipeline_id: pipelineId()
        .optional()
        .describe('The pipeline; its deployed configuration, or the newest if none is deployed.'),
      configuration_yaml: document().optional().describe('A configuration, instead of those of a pipeline.'),
    }).refine((given) => (given.pipeline_id === undefined) !== (given.configuration_yaml === undefined), {
      error: 'one of pipeline_id and configuration_yaml is required',
    }),
    output: preflight,
    errors: [
      'invalid_pipeline_configuration',
      'no_query_engine',
      'too_many_queries',
      'unsupported_cluster_type',
    ],
    example: {
      input: { pipeline_id: examples.pipeline },
      output: {
        is_ready: true,
        findings: [
          {
            severity: 'warning',
            subject: 'the source',
            message:
              'the password is sent in clear text: use a TLS listener with use_tls: true, or scram-512',
          },
        ],
        source: { cluster_id: 'Som3-Id', broker_count: 3, has_topic_ids: true, knows_epochs: true },
        topics: [
          {
            source_topic: 'orders',
            topic: 'orders',
            fate: 'created',
            partition_count: 12,
            offsets: 1_200_000,
            bytes: 524_288_000,
            configs: [],
            copied_configs: 3,
          },
        ],
        cluster_configs: [],
        acls: [],
        groups: [
          {
            group_id: 'billing',
            destination: 'billing',
            fate: 'copied',
            partition_count: 12,
            state: 'Stable',
          },
        ],
        totals: { topics: 1, partitions: 12, offsets: 1_200_000, bytes: 524_288_000, groups: 1, acls: 0 },
        rows_left_out: 0,
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/describe_migration',
    title: 'Describe a migration',
    summary:
      'Describe how the migration of a cluster gets on: topics, bytes, lag, rates, and what holds back a cut-over.',
    description:
      'A cluster has one migration at most: its pipeline of the type `orbit`. What agents report is forgotten after a minute without a report.',
    input: clusterInput({
      topic_name: topicName()
        .optional()
        .describe('A topic by its name here, to describe only it, with its partitions.'),
    }),
    output: z.object({
      pipeline_id: pipelineId().describe('The pipeline.'),
      pipeline_name: text(128).describe('Its name.'),
      pipeline_state: z.enum(pipelineStates).describe('Whether it runs.'),
      errors: list(line(), apiLimits.migrationErrorsMax).describe(
        'What goes wrong as a whole, one line each.',
      ),
      topics_by_state: z
        .object({
          waiting: count().describe('Not created yet.'),
          refused: count().describe('Not copied.'),
          replicating: count().describe('Copied.'),
          proxy: count().describe('Forwarded.'),
          blocked: count().describe('Being cut over.'),
          migrated: count().describe('Done.'),
        })
        .describe('How many topics there are in each state.'),
      totals: z
        .object({ partition_count: count().describe('Partitions.'), ...sums })
        .describe('Of all topics.'),
      topics: list(migrationTopic, apiLimits.describedMigrationTopicsMax).describe('The topics by name.'),
      partitions: list(migrationPartition, apiLimits.describedMigrationPartitionsMax)
        .optional()
        .describe('The partitions of the topic, if one is named.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        pipeline_id: examples.pipeline,
        pipeline_name: 'from-old-kafka',
        pipeline_state: 'running',
        errors: [],
        topics_by_state: { waiting: 0, refused: 0, replicating: 1, proxy: 0, blocked: 0, migrated: 0 },
        totals: { partition_count: 12, ...exampleSums },
        topics: [{ ...exampleTopic, holds: [...exampleTopic.holds] }],
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/auto_migration/status',
    title: 'Get the status of a cut-over',
    summary: 'List the topics of a migration with their states, lags and deadlines.',
    output: z.object({
      topics: list(
        z.object({
          topic: topicName().describe('The topic.'),
          state: z.enum(migrationTopicStates).describe('Its state, as in `orbit/describe_migration`.'),
          lag_records: count().optional().describe('How far it is behind the source, if known.'),
          started_at: time().optional().describe('When its state began.'),
          deadline: time().optional().describe('When its cut-over ends by itself.'),
          last_error: line().optional().describe('What goes wrong, or what holds back the cut-over.'),
        }),
        apiLimits.describedMigrationTopicsMax,
      ).describe('The topics by name.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        topics: [{ topic: 'orders', state: 'replicating', lag_records: 120, started_at: examples.time }],
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/auto_migration/start_forwarding',
    title: 'Start forwarding',
    summary: 'Start to pass on to the source what clients write to topics of a migration.',
    description:
      'From now on producers may be pointed at the agents: `replicating` becomes `proxy`. The operation answers when all agents know of it, or after ten seconds. Answers to producers have the offsets of the source, and our ACLs decide. Transactional producers stay at the source until the cut-over.',
    input: clusterInput({
      topics: chosenTopics('all that are `replicating` if absent'),
      reason: reason(),
      validate_only: validateOnly(),
    }),
    output: changes,
    errors,
    example: {
      input: { topics: ['orders'] },
      output: {
        topics: [{ topic: 'orders', state_before: 'replicating', state: 'proxy', cut_over_requested: false }],
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/auto_migration/initiate',
    title: 'Initiate a cut-over',
    summary:
      'Start the cut-over of topics: producers wait while the copy catches up, then agents serve writes themselves.',
    description:
      'The topics cut over together. As soon as nothing holds them back, `proxy` becomes `blocked`, in which producers get a retriable error, and then `migrated`, for good. If that does not succeed in time, agents forward again.',
    input: clusterInput({
      topics: chosenTopics('all that are in `proxy` if absent'),
      timeout_seconds: integer(10, 86_400)
        .optional()
        .describe(
          'When it ends by itself. If absent, the shortest `auto_migration.timeout` of the mappings of the topics decides, which is ten minutes unless it is set.',
        ),
      reason: reason(),
      validate_only: validateOnly(),
    }),
    output: changes,
    errors,
    example: {
      input: { topics: ['orders'] },
      output: {
        topics: [
          {
            topic: 'orders',
            state_before: 'proxy',
            state: 'proxy',
            cut_over_requested: true,
            deadline: examples.time,
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/auto_migration/abort',
    title: 'Abort a cut-over',
    summary: 'End the cut-over of topics that are not migrated yet; agents forward to the source again.',
    description:
      'With `to: replicating`, forwarding ends as well, so that producers have to be pointed at the source again. A topic that is `migrated` cannot go back.',
    input: clusterInput({
      topics: chosenTopics('all that can if absent'),
      to: z.enum(['proxy', 'replicating']).default('proxy').describe('The state to go back to.'),
      reason: reason(),
      validate_only: validateOnly(),
    }),
    output: changes,
    errors,
    example: {
      input: { topics: ['orders'] },
      output: {
        topics: [{ topic: 'orders', state_before: 'blocked', state: 'proxy', cut_over_requested: false }],
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/hand_over',
    title: 'Hand topics over',
    summary: 'End the copy of topics and let clients write to them, without waiting for the source.',
    description:
      'For topics whose producers were stopped, or without any. Records that the source gets afterwards are never copied, and the topics are `migrated` for good.',
    input: clusterInput({
      topics: topics().describe('The topics by their names here, all or none.'),
      abort_open_transactions: flag(
        'Whether to abort transactions that are open in the copies; otherwise they are an error.',
      ),
      reason: reason(),
      validate_only: validateOnly(),
    }),
    output: changes,
    errors,
    example: {
      input: { topics: ['orders'] },
      output: {
        topics: [
          { topic: 'orders', state_before: 'replicating', state: 'migrated', cut_over_requested: false },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'orbit/delete_copy',
    title: 'Delete the copy of a topic',
    summary: 'Delete the copy of a topic, so that it is copied again from the beginning of the source.',
    description:
      'The decision for a topic whose source was truncated or created again, so that the copy has records that the source has no more. It is refused once agents forward. Nothing happens at the source.',
    input: clusterInput({ topic_name: topicName().describe('The topic by its name here.') }),
    errors,
    example: { input: { topic_name: 'orders' } },
  }),
] as const;
