import {
  catalogue,
  consolePaths,
  type OutputOf,
  type PipelineType,
  pipelineEngineNote,
  runnablePipelineTypes,
} from '@weir/api';
import { nearestNames } from '@weir/core';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { ToolProblem } from '../answers/problem.ts';
import { answerOfRows } from '../answers/rows.ts';
import { formatArguments, hasQuery, listArguments, queryArgument } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { errorSearch, type FoundErrors, findErrors } from './pipeline-errors.ts';
import { rowSchema } from './rows.ts';
import type { ToolContext } from './tool-context.ts';

type Listed = OutputOf<'list_pipelines'>['pipelines'][number];

const { shape: listed } = catalogue.list_pipelines.output.shape.pipelines.element;
const setting = catalogue.describe_pipeline.output.shape.pipeline_summary.unwrap().unwrap().shape
  .settings.element;

const row = z.object({
  name: listed.name,
  type: listed.type,
  state: listed.state,
  revision: z.int().nullable().describe('The version of the deployed configuration.'),
  errors_24h: z.int().nullable().describe('null if unknown.'),
  last_error: z.string().nullable(),
  last_error_at: z.string().nullable(),
  id: listed.id,
});
const concise = ['name', 'type', 'state', 'revision', 'errors_24h', 'last_error'];

const candidatesMax = 10;

export const pipelineTools = [
  defineClusterTool({
    name: 'list_pipelines',
    icon: 'pipelines',
    operations: ['list_pipelines', 'get_events_state', 'search_events'],
    note: 'With the errors of each in 24 hours.',
    input: { ...queryArgument, ...listArguments(50) },
    output: {
      total: z.int().describe('How many there are.'),
      pipelines: z.array(rowSchema(row, concise)),
    },
    async run(args, context, clusterId) {
      const { pipelines } = await context.call('list_pipelines', { virtual_cluster_id: clusterId });
      const items = pipelines.filter(({ name }) => hasQuery(name, args.query));
      let found: FoundErrors | undefined;
      return answerOfRows({
        tool: 'list_pipelines',
        args,
        name: 'pipelines',
        concise,
        items,
        keyOf: ({ id }) => id,
        rowsOf: async (shown) => {
          const errors = await findErrors(shown, clusterId, context);
          found = errors;
          return shown.map((pipeline) => rowOf(pipeline, errors));
        },
        hint: (shown, hasMore) =>
          hintOf(
            shown.length === 0 ? 'There are none.' : 'describe_pipeline shows what one is configured to do.',
            found?.note,
            engineNoteOn(items),
            hasMore ? 'There are more; call again with cursor set to next_cursor.' : undefined,
          ),
        consoleUrl: context.consoleUrl(consolePaths.pipelines(clusterId)),
      });
    },
  }),
  defineClusterTool({
    name: 'describe_pipeline',
    icon: 'pipelines',
    operations: ['describe_pipeline', 'list_pipelines', 'get_events_state', 'search_events'],
    summary:
      'Describe the state of a pipeline, its configuration without secrets, and its errors in 24 hours.',
    input: {
      pipeline_id: z.string().min(1).max(136).describe('Its id or its name.'),
      ...formatArguments,
    },
    output: {
      pipeline: row,
      last_revision: z.int().nullable().describe('The newest version, deployed or not.'),
      configuration_revision: z.int().nullable().describe('Whose settings these are.'),
      configuration: z.array(setting),
    },
    async run({ pipeline_id: wanted, ...options }, context, clusterId) {
      const listedOne = await pipelineOf(wanted, clusterId, context);
      const [described, errors] = await Promise.all([
        context.call('describe_pipeline', {
          virtual_cluster_id: clusterId,
          pipeline_id: listedOne.id,
          include_summary: true,
        }),
        findErrors([listedOne], clusterId, context),
      ]);
      const {
        pipeline_overview: overview,
        pipeline_configurations: all,
        pipeline_summary: summary,
      } = described;
      const pipeline = rowOf(overview, errors);
      const leftOut = summary?.settings_left_out ?? 0;
      return answerOf(
        {
          pipeline,
          last_revision: all.at(-1)?.version ?? null,
          configuration_revision: summary?.version ?? null,
          configuration: summary?.settings ?? [],
        },
        {
          truncated: leftOut > 0,
          hint: hintOf(
            deploymentNote(overview, all.length),
            pipeline.errors_24h
              ? `search_events with ${JSON.stringify(errorSearch(overview))} shows its errors.`
              : undefined,
            errors.note,
            engineNoteOn([overview]),
            leftOut > 0
              ? `${leftOut} more settings are left out; describe_pipeline of the API has all.`
              : undefined,
          ),
          console_url: context.consoleUrl(consolePaths.pipeline(clusterId, overview.id)),
        },
        options,
      );
    },
  }),
];

function rowOf(pipeline: Listed, errors: FoundErrors) {
  const { id, name, type, state, deployed_configuration_version: revision } = pipeline;
  return { name, type, state, revision, ...errors.of(pipeline), id };
}

function deploymentNote({ deployed_configuration_id: deployed }: Listed, count: number): string | undefined {
  if (deployed !== null) return undefined;
  return count === 0
    ? 'It has no configuration yet.'
    : 'No configuration is deployed; what is shown is the newest one.';
}

function engineNoteOn(pipelines: readonly { readonly type: PipelineType }[]): string | undefined {
  return pipelines.some(({ type }) => !runnablePipelineTypes.includes(type)) ? pipelineEngineNote : undefined;
}

function hintOf(...notes: readonly (string | undefined)[]): string | undefined {
  return notes.filter((note) => note !== undefined).join(' ') || undefined;
}

/** Returns the named pipeline. An unknown one is often a typo, so the error suggests a name. */
async function pipelineOf(wanted: string, clusterId: string, context: ToolContext): Promise<Listed> {
  const { pipelines } = await context.call('list_pipelines', { virtual_cluster_id: clusterId });
  const found = pipelines.find(({ id, name }) => id === wanted || name === wanted);
  if (found !== undefined) return found;
  const names = pipelines.map(({ name }) => name);
  const near = nearestNames(wanted, names);
  const candidates = near.length > 0 ? near : names.slice(0, candidatesMax);
  const there =
    candidates.length === 0
      ? 'The virtual cluster has none.'
      : `There are: ${candidates.join(', ')}${candidates.length < names.length ? ', …' : ''}.`;
  throw new ToolProblem('pipeline_not_found', `Pipeline not found. ${there}`);
}
