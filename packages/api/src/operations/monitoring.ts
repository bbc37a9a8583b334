import { coreLimits, type SeriesMetricName, seriesMetricNames, seriesTags } from '@weir/core';
import * as z from 'zod';
import { count, examples, integer, list, text, time } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** More than a cluster has of either. */
const quotasMax = 256;
const metricsMax = 2000;
const tagsMax = 64;

const metricName = () => z.enum(seriesMetricNames as [SeriesMetricName, ...SeriesMetricName[]]);
const nameMax = coreLimits.groupNameCharsMax;
const tag = (what: string) => text(nameMax, 1).optional().describe(`Only ${what}.`);
const rate = () => z.number().min(0).nullable();

export const monitoringOperations = [
  defineClusterOperation({
    name: 'query_metrics',
    title: 'Query metrics over time',
    summary: 'Chart metrics of a virtual cluster over the last hour or day.',
    description:
      'The leader of the cluster samples every 10 seconds. It keeps an hour of samples, and a day in steps of a minute, in memory: a new leader starts over. Series exist for the groups with the largest lag, the busiest topics, pipelines that run, and of a data lake the tables with the largest lag.',
    input: clusterInput({
      metrics: list(metricName(), apiLimits.queriedMetricsMax, 1).describe('The metrics.'),
      range_seconds: integer(60, 86_400).default(3600).describe('How far back, up to a day.'),
      step_seconds: integer(10, 3600)
        .optional()
        .describe('Time between two values, rounded up; by default as short as 360 values allow.'),
      group_by: z
        .enum(seriesTags)
        .optional()
        .describe('Return one series each, instead of one for the cluster.'),
      agent: tag('this agent'),
      topic: tag('this topic'),
      group: tag('this consumer group'),
      pipeline: tag('this pipeline, by its id'),
      table: tag('this table of a data lake, by its name'),
      limit: integer(1, apiLimits.queriedSeriesMax)
        .default(10)
        .describe('The maximum number of series per metric, largest first.'),
    }),
    output: z.object({
      start_at: time().describe('When the first step begins.'),
      step_seconds: count().describe('Time between two values.'),
      series: list(
        z.object({
          metric: metricName().describe('The metric.'),
          agent: text(nameMax).optional().describe('The agent.'),
          topic: text(nameMax).optional().describe('The topic.'),
          group: text(nameMax).optional().describe('The consumer group.'),
          pipeline: text(nameMax).optional().describe('The id of the pipeline.'),
          table: text(nameMax).optional().describe('The name of the table.'),
          values: list(rate(), apiLimits.queriedStepsMax).describe(
            'One value per step; `null` without a sample.',
          ),
        }),
        apiLimits.queriedMetricsMax * apiLimits.queriedSeriesMax,
      ).describe('The series, largest first.'),
      left_out: count().describe('The number of series beyond the limit.'),
    }),
    example: {
      input: { metrics: ['lag'], range_seconds: 60, group_by: 'group' },
      output: {
        start_at: examples.time,
        step_seconds: 10,
        series: [{ metric: 'lag', group: 'shop', values: [null, null, 12, 30, 41, 41] }],
        left_out: 0,
      },
    },
  }),
  defineClusterOperation({
    name: 'describe_cluster_overview',
    title: 'Describe the state of a cluster',
    summary:
      'Describe the size of a virtual cluster, its recent throughput, and the groups with the largest lag.',
    output: z.object({
      as_of: time().describe('When this was read.'),
      agent_count: count().describe('Agents with a recent heartbeat.'),
      topic_count: count().describe('Topics.'),
      partition_count: count().describe('Partitions of all topics.'),
      consumer_group_count: count().describe('Consumer groups.'),
      total_lag: count()
        .nullable()
        .describe(
          'The total lag of all groups, or of all tables of a data lake; `null` before the first sample.',
        ),
      in_bytes_per_second: rate().describe('Bytes per second from producers; `null` without a sample.'),
      out_bytes_per_second: rate().describe('Bytes per second to consumers; `null` without a sample.'),
      produce_latency_p99_ms: rate().describe(
        'The 99th percentile latency of Produce requests; `null` without requests.',
      ),
      lagging_groups: list(
        z.object({
          group: text(nameMax).describe('The group.'),
          lag: count().describe('Its lag.'),
          produced_records_per_second: rate().describe('How fast its partitions grow.'),
          consumed_records_per_second: rate().describe('How fast it reads.'),
        }),
        apiLimits.overviewGroupsMax,
      ).describe('Groups with lag, largest first.'),
      lost_agents: list(
        z.object({
          agent_id: text(128).describe('The agent.'),
          last_seen_at: time().describe('Its last heartbeat.'),
        }),
        coreLimits.agentsPerClusterMax,
      ).describe('Agents that disappeared within the last hour without a shutdown.'),
    }),
    example: {
      output: {
        as_of: examples.time,
        agent_count: 3,
        topic_count: 12,
        partition_count: 120,
        consumer_group_count: 4,
        total_lag: 41,
        in_bytes_per_second: 1_200_000,
        out_bytes_per_second: 2_400_000,
        produce_latency_p99_ms: 280,
        lagging_groups: [
          { group: 'shop', lag: 41, produced_records_per_second: 100, consumed_records_per_second: 98 },
        ],
        lost_agents: [],
      },
    },
  }),
  defineClusterOperation({
    name: 'monitoring/describe_quotas',
    title: 'Describe limits and their use',
    summary: 'Describe the limits of a virtual cluster and their use.',
    output: z.object({
      quotas: list(
        z.object({
          name: text(128).describe('What the limit applies to, such as `partitions`.'),
          limit: z.number().describe('The limit.'),
          used: z.number().describe('The current use.'),
        }),
        quotasMax,
      ).describe('The limits by name.'),
    }),
    example: {
      output: { quotas: [{ name: 'partitions', limit: 50_000, used: 120 }] },
    },
  }),
  defineClusterOperation({
    name: 'monitoring/describe_cluster_metrics',
    title: 'Describe metrics',
    summary: 'Describe the metrics of a virtual cluster.',
    output: z.object({
      metrics: list(
        z.object({
          name: text(256).describe('Its name, as in Prometheus and in events.'),
          type: z.enum(['counter', 'gauge', 'histogram']).describe('The type of metric.'),
          unit: text(64).describe('The unit; empty for a plain number.'),
          description: text().describe('What it measures.'),
          tags: list(text(128), tagsMax).describe('Its labels.'),
        }),
        metricsMax,
      ).describe('The metrics by name.'),
    }),
    example: {
      output: {
        metrics: [
          {
            name: 'service_consumer_group_lag',
            type: 'gauge',
            unit: 'records',
            description: 'The lag of a consumer group.',
            tags: ['virtual_cluster_id', 'consumer_group', 'topic', 'partition'],
          },
        ],
      },
    },
  }),
] as const;
