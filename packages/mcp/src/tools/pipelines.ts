import {
  catalogue,
  consolePaths,
  type OutputOf,
  type PipelineType,
  pipelineEngineNote,
  runnablePipelineTypes,
} from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { nearestNames } from '@weir/core';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { ToolProblem } from '../answers/problem.ts';
import { answerOfRows } from '../answers/rows.ts';
import { formatArguments, hasQuery, listArguments, queryArgument } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { errorSearch, type FoundErrors, findErrors, recentProblems } from './pipeline-errors.ts';
import { rowSchema } from './rows.ts';
import type { ToolContext } from './tool-context.ts';

type Listed = OutputOf<'list_pipelines'>['pipelines'][number];

const { shape: listed } = catalogue.list_pipelines.output.shape.pipelines.element;
const setting = catalogue.describe_pipeline.output.shape.pipeline_summary.unwrap().unwrap().shape
  .settings.element;

const { shape: checkInput } = catalogue.check_pipeline_configuration.input;
const problem = catalogue.check_pipeline_configuration.output.shape.problems.element.omit({ part: true });

const row = z.object({
  name: listed.name,
  type: listed.type,
  state: listed.state,
  run_status: z.string().nullable(),
  revision: z.int().nullable().describe('The version of the deployed configuration.'),
  errors_24h: z.int().nullable().describe('null if unknown.'),
  last_error: z.string().nullable(),
  last_error_at: z.string().nullable(),
  id: listed.id,
});
const concise = ['name', 'type', 'state', 'run_status', 'revision', 'errors_24h', 'last_error'];

const run = z
  .object({
    status: z.string(),
    message: z.string(),
    next_at: z.string().nullable(),
    instances: z.array(
      z.object({
        instance: z.int(),
        status: z.string(),
        agent_id: z.string().nullable(),
        restart_count: z.int(),
        read_per_second: z.number(),
        written_per_second: z.number(),
        failed_count: z.int(),
        error: z.string().nullable(),
        stage: z.string().nullable(),
        line: z.int().nullable(),
        column: z.int().nullable(),
        error_at: z.string().nullable(),
      }),
    ),
  })
  .nullable();
const problemEvent = z.object({
  time: z.string(),
  stage: z.string().nullable(),
  message: z.string(),
  event_id: z.string(),
});

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
      'Describe the state of a pipeline and its instances, what failed last and where, and its configuration without secrets.',
    input: {
      pipeline_id: z.string().min(1).max(136).describe('Its id or its name.'),
      ...formatArguments,
    },
    output: {
      pipeline: row,
      run: run.describe('null if it should not run.'),
      recent_problems: z.array(problemEvent),
      last_revision: z.int().nullable().describe('The newest version, deployed or not.'),
      configuration_revision: z.int().nullable().describe('Whose settings these are.'),
      configuration: z.array(setting),
    },
    async run({ pipeline_id: wanted, ...options }, context, clusterId) {
      const listedOne = await pipelineOf(wanted, clusterId, context);
      const [described, errors, recent] = await Promise.all([
        context.call('describe_pipeline', {
          virtual_cluster_id: clusterId,
          pipeline_id: listedOne.id,
          include_summary: true,
        }),
        findErrors([listedOne], clusterId, context),
        recentProblems(listedOne, clusterId, context),
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
          run: runOf(overview),
          recent_problems: recent,
          last_revision: all.at(-1)?.version ?? null,
          configuration_revision: summary?.version ?? null,
          configuration: summary?.settings ?? [],
        },
        {
          truncated: leftOut > 0,
          hint: hintOf(
            deploymentNote(overview, all.length),
            runNote(overview),
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
  defineClusterTool({
    name: 'check_pipeline_configuration',
    icon: 'pipelines',
    operations: ['check_pipeline_configuration', 'preview_pipeline_configuration'],
    summary:
      'Validate a configuration of a pipeline, and with messages show what each processor makes of them. Nothing is stored.',
    input: {
      configuration_yaml: checkInput.configuration_yaml.unwrap().describe('The YAML.'),
      pipeline_type: checkInput.pipeline_type.default('bento'),
      messages: z
        .array(z.string().max(apiLimits.triedMessageCharsMax))
        .max(apiLimits.triedMessagesMax)
        .optional()
        .describe('Samples, for bento.'),
      ...formatArguments,
    },
    output: {
      problem_count: z.int(),
      problems: z.array(problem),
      warnings: z.array(problem),
      steps: z
        .array(
          z.object({
            path: z.string(),
            name: z.string(),
            content: z.string(),
            error: z.string().nullable(),
          }),
        )
        .optional(),
    },
    async run({ configuration_yaml, pipeline_type, messages = [], ...options }, context, clusterId) {
      const on = { virtual_cluster_id: clusterId, configuration_yaml };
      const found = await context.call('check_pipeline_configuration', { ...on, pipeline_type });
      const tries = messages.length > 0 && pipeline_type === 'bento' && found.problem_count === 0;
      const tried = tries
        ? await context.call('preview_pipeline_configuration', {
            ...on,
            messages: messages.map((content) => ({ content })),
          })
        : undefined;
      return answerOf(
        { ...found, ...(tried === undefined ? {} : { steps: tried.steps.flatMap(stepRows) }) },
        {
          truncated: found.problem_count > found.problems.length,
          hint: hintOf(
            found.problem_count === 0 ? 'It is valid.' : 'It would be refused.',
            tried?.problem,
            messages.length > 0 && tried === undefined ? 'The messages were not tried.' : undefined,
          ),
          console_url: context.consoleUrl(consolePaths.pipelines(clusterId)),
        },
        options,
      );
    },
  }),
];

type TriedStep = OutputOf<'preview_pipeline_configuration'>['steps'][number];

/** A row for every message of a step; one that dropped all has a row, too. */
function stepRows({ path, name, batches }: TriedStep) {
  const rows = batches.flat().map(({ content, error = null }) => ({ path, name, content, error }));
  return rows.length > 0 ? rows : [{ path, name, content: '(dropped)', error: null }];
}

function rowOf(pipeline: Listed, errors: FoundErrors) {
  const { id, name, type, state, run: found, deployed_configuration_version: revision } = pipeline;
  return { name, type, state, run_status: found?.status ?? null, revision, ...errors.of(pipeline), id };
}

function runOf({ run: found }: Listed): z.output<typeof run> {
  if (found === undefined) return null;
  return {
    status: found.status,
    message: found.message,
    next_at: found.next_at ?? null,
    instances: (found.instances ?? []).map((one) => ({
      instance: one.instance,
      status: one.status,
      agent_id: one.agent_id ?? null,
      restart_count: one.restart_count,
      read_per_second: one.received_messages_per_second,
      written_per_second: one.messages_per_second,
      failed_count: one.failed_count,
      error: one.message === '' ? null : one.message,
      stage: one.error_stage ?? null,
      line: one.error_line ?? null,
      column: one.error_column ?? null,
      error_at: one.error_at ?? null,
    })),
  };
}

/** What to do about a pipeline that does not do its work. */
function runNote({ state, run: found }: Listed): string | undefined {
  if (state === 'paused') return 'It is paused, so it reads and writes nothing.';
  if (found === undefined) return 'Its leader has not reported it yet; call again in a few seconds.';
  const hasErrors = found.instances?.some(({ error_count }) => error_count > 0) ?? false;
  if (found.status !== 'error' && !(hasErrors && found.status === 'running')) return undefined;
  return 'line and column are of the deployed configuration. list_diagnostics says whether it still fails, and describe_diagnostic what to do.';
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
