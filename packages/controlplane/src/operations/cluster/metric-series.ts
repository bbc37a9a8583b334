import type { InputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { seriesLongStepMs, seriesShortRangeMs, seriesShortStepMs, timeText } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readResourceCounts } from './cluster-reads.ts';
import type { ClusterServices } from './services.ts';

/** As many values as a chart has room for. */
const usualSteps = 360;

export function metricSeriesOperations({ clusterPort }: ClusterServices) {
  return {
    query_metrics: async (input, { clock }) => {
      const {
        virtual_cluster_id,
        metrics,
        group_by = null,
        agent,
        topic,
        group,
        pipeline,
        table,
        limit,
      } = input;
      const { stepMs, count } = stepsOf(input);
      // The step that is not over yet has part of its samples.
      const fromMs = (Math.floor(clock.nowMs() / stepMs) - count + 1) * stepMs;
      const { series, leftOut } = await clusterPort(virtual_cluster_id).readSeries({
        metrics,
        fromMs,
        stepMs,
        count,
        groupBy: group_by,
        tags: { agent, topic, group, pipeline, table },
        seriesMax: limit,
      });
      return {
        start_at: timeText(fromMs),
        step_seconds: stepMs / 1_000,
        series: series.map(({ metric, tags, values }) => ({
          metric,
          ...(tags.agent === undefined ? {} : { agent: tags.agent }),
          ...(tags.topic === undefined ? {} : { topic: tags.topic }),
          ...(tags.group === undefined ? {} : { group: tags.group }),
          ...(tags.pipeline === undefined ? {} : { pipeline: tags.pipeline }),
          ...(tags.table === undefined ? {} : { table: tags.table }),
          values: Array.from(values, (value) => (Number.isNaN(value) ? null : rounded(value))),
        })),
        left_out: leftOut,
      };
    },

    describe_cluster_overview: async ({ virtual_cluster_id }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const nowMs = context.clock.nowMs();
      const lastSteps = 2;
      const [counts, agents, activity, { series }] = await Promise.all([
        readResourceCounts(port, context),
        port.listAgents(),
        port.describeActivity(apiLimits.overviewGroupsMax),
        port.readSeries({
          metrics: ['in_bytes_per_second', 'out_bytes_per_second', 'produce_latency_p99_ms'],
          fromMs: (Math.floor(nowMs / seriesShortStepMs) - lastSteps + 1) * seriesShortStepMs,
          stepMs: seriesShortStepMs,
          count: lastSteps,
          groupBy: null,
          tags: {},
          seriesMax: 1,
        }),
      ]);
      const last = (name: string): number | null => {
        const found = series.find(({ metric }) => metric === name);
        const value = found?.values.findLast((one) => !Number.isNaN(one));
        return value === undefined ? null : rounded(value);
      };
      return {
        as_of: timeText(nowMs),
        agent_count: agents.length,
        topic_count: counts.topics,
        partition_count: counts.partitions,
        consumer_group_count: activity.groupCount,
        total_lag: activity.totalLag,
        in_bytes_per_second: last('in_bytes_per_second'),
        out_bytes_per_second: last('out_bytes_per_second'),
        produce_latency_p99_ms: last('produce_latency_p99_ms'),
        lagging_groups: activity.groups
          .filter(({ lag }) => lag > 0)
          .map(({ groupId, lag, producedPerSecond, consumedPerSecond }) => ({
            group: groupId,
            lag,
            produced_records_per_second: producedPerSecond && rounded(producedPerSecond),
            consumed_records_per_second: consumedPerSecond && rounded(consumedPerSecond),
          })),
        lost_agents: activity.lostAgents.map(({ agentId, lastSeenMs }) => {
          return { agent_id: agentId, last_seen_at: timeText(lastSeenMs) };
        }),
      };
    },
  } satisfies SomeHandlers;
}

function stepsOf({ range_seconds, step_seconds }: InputOf<'query_metrics'>): {
  readonly stepMs: number;
  readonly count: number;
} {
  const rangeMs = range_seconds * 1_000;
  const unitMs = rangeMs <= seriesShortRangeMs ? seriesShortStepMs : seriesLongStepMs;
  const shortestMs = Math.ceil(rangeMs / usualSteps / unitMs) * unitMs;
  const stepMs =
    step_seconds === undefined ? shortestMs : Math.ceil((step_seconds * 1_000) / unitMs) * unitMs;
  const count = Math.ceil(rangeMs / stepMs);
  if (count > apiLimits.queriedStepsMax)
    throw new OperationFailed(
      'invalid_request',
      `The range has ${count} steps; at most ${apiLimits.queriedStepsMax} are allowed: use a longer step.`,
    );
  return { stepMs, count };
}

/** Single precision does not have more. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
