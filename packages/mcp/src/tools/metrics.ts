import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { formatArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';

const { input, output } = catalogue.query_metrics;
const { shape } = input;
const series = output.shape.series.element.shape;

/** Values of a series unless the caller asks for a step: enough for a trend, in few tokens. */
const valuesUsual = 30;
const stepSecondsMin = 10;
const stepSecondsMax = 3600;

export const metricTools = [
  defineClusterTool({
    name: 'query_metrics',
    icon: 'cluster',
    operations: ['query_metrics'],
    summary:
      'Chart metrics over the last hour or day, such as the history of the lag of a group or of a table.',
    input: {
      metrics: shape.metrics,
      range_seconds: shape.range_seconds,
      step_seconds: shape.step_seconds.describe(`By default ${valuesUsual} values.`),
      group_by: shape.group_by.describe('One series each.'),
      agent: shape.agent,
      topic: shape.topic,
      group: shape.group.describe('Only this group.'),
      pipeline: shape.pipeline.describe('An id.'),
      table: shape.table.describe('Of a data lake.'),
      limit: shape.limit,
      ...formatArguments,
    },
    output: {
      start_at: output.shape.start_at,
      step_seconds: output.shape.step_seconds,
      series: z.array(
        z.object({
          metric: series.metric,
          agent: series.agent,
          topic: series.topic,
          group: series.group,
          pipeline: series.pipeline,
          table: series.table,
          last: z.number().nullable(),
          min: z.number().nullable(),
          max: z.number().nullable(),
          values: series.values,
        }),
      ),
      left_out: output.shape.left_out,
    },
    async run({ virtual_cluster_id: _cluster, format, max_tokens, ...query }, context, clusterId) {
      const usual = Math.ceil(query.range_seconds / valuesUsual);
      const step_seconds = query.step_seconds ?? Math.min(stepSecondsMax, Math.max(stepSecondsMin, usual));
      const found = await context.call('query_metrics', {
        virtual_cluster_id: clusterId,
        ...query,
        step_seconds,
      });
      return answerOf(
        { ...found, series: found.series.map(rowOf) },
        {
          truncated: found.left_out > 0,
          hint: hintOf(found),
          console_url: context.consoleUrl(consolePaths.cluster(clusterId)),
        },
        { format, max_tokens },
      );
    },
  }),
];

type Series = OutputOf<'query_metrics'>['series'][number];

function rowOf({ values, ...named }: Series) {
  const measured = values.filter((value) => value !== null);
  return {
    ...named,
    last: measured.at(-1) ?? null,
    min: measured.length === 0 ? null : Math.min(...measured),
    max: measured.length === 0 ? null : Math.max(...measured),
    values,
  };
}

function hintOf({ series: all, left_out }: OutputOf<'query_metrics'>): string | undefined {
  if (all.every(({ values }) => values.every((value) => value === null)))
    return 'Nothing was measured in this time; a new leader of the cluster starts over.';
  return left_out > 0 ? `${left_out} smaller series are left out; raise limit, or name one.` : undefined;
}
