import { ApiError, type OutputOf, type PipelineType, runnablePipelineTypes } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { ClusterPort, ManagedTopicState } from '@weir/cluster';
import { type TenantAccess, usualTenantAccess } from '@weir/cluster/outbound';
import { coreLimits, systemClock, timeText } from '@weir/core';
import { type TrialStep, Trials } from '@weir/pipelines';
import type { ConfigurationProblem } from '@weir/pipelines/yaml';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type {
  ConfigurationPart,
  Pipeline,
  PipelineConfiguration,
} from '../../accounts/workspaces/pipelines.ts';
import {
  checkedConfiguration,
  configurationProblems,
  configurationWarnings,
} from '../../pipelines/check-configuration.ts';
import type { ConfigurationRules } from '../../pipelines/configuration-rules.ts';
import { maskedYaml, withStoredSecrets } from '../../pipelines/masked-yaml.ts';
import { pipelineRuns, type RunOf, withErrorPlaces } from '../../pipelines/pipeline-runs.ts';
import { ConfigurationRefusal } from '../../pipelines/refusal.ts';
import { summaryOf } from '../../pipelines/summary.ts';
import { configuredTables } from '../../tables/configured-tables.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';

type Described = OutputOf<'describe_pipeline'>;
type TriedStep = OutputOf<'preview_pipeline_configuration'>['steps'][number];

/** What a leader says of pipelines. */
export type PipelinesPort = Pick<ClusterPort, 'listJobs' | 'listManagedTopics' | 'planPipelines'>;

interface PipelineHandlersOptions {
  readonly runnableTypes?: readonly PipelineType[] | undefined;
  readonly portOf?: ((clusterId: string) => PipelinesPort) | undefined;
  /** What configurations may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: TenantAccess | undefined;
}

export function pipelineHandlers(
  { pipelines, secrets, tables }: Pick<AccountsDatabase, 'pipelines' | 'secrets' | 'tables'>,
  options: PipelineHandlersOptions = {},
) {
  const { runnableTypes = runnablePipelineTypes, portOf, tenantAccess = usualTenantAccess } = options;
  /** What a configuration of a cluster may name. */
  const rulesOf = async (clusterId: string, accountId: string): Promise<ConfigurationRules> => {
    const known = await secrets.list({ accountId, clusterId });
    return { ...tenantAccess, secretNames: new Set(known.map(({ name }) => name)) };
  };
  /** The leader plans at its next interval anyway, so one that does not answer is no failure. */
  const planSoon = async (clusterId: string) =>
    portOf?.(clusterId)
      .planPipelines()
      .catch(() => undefined);
  const trials = new Trials(systemClock);
  return {
    async list_pipelines({ virtual_cluster_id }, { accountId }) {
      const all = await pipelines.list(accountId, virtual_cluster_id);
      const runOf = await pipelineRuns(all, virtual_cluster_id, portOf);
      return { pipelines: all.map((pipeline) => overviewOf(pipeline, runOf)) };
    },

    async create_pipeline(input, { accountId }) {
      const { virtual_cluster_id, pipeline_name, pipeline_type = 'bento' } = input;
      const made = await pipelines.create(accountId, virtual_cluster_id, pipeline_name, pipeline_type);
      return {
        pipeline_id: made.id,
        pipeline_name: made.name,
        pipeline_state: made.state,
        pipeline_type: made.type,
        pipeline_deployed_configuration_id: null,
      };
    },

    async check_pipeline_configuration(input, { accountId }) {
      const { virtual_cluster_id, pipeline_type, configuration_yaml: yaml, configuration_inputs } = input;
      const rules = await rulesOf(virtual_cluster_id, accountId);
      const problems =
        yaml === undefined
          ? problemsOfParts(pipeline_type, configuration_inputs!, rules)
          : listed(configurationProblems(pipeline_type, yaml, rules));
      const warnings = yaml === undefined ? [] : listed(configurationWarnings(pipeline_type, yaml));
      return {
        problems: problems.slice(0, apiLimits.pipelineProblemsMax),
        problem_count: problems.length,
        warnings: warnings.slice(0, apiLimits.pipelineProblemsMax),
      };
    },

    async preview_pipeline_configuration({ configuration_yaml: yaml, messages }) {
      const given = messages.map(({ content, metadata = {} }) => ({ content, metadata }));
      const answer = await trials.run({ yaml, messages: given });
      if ('refused' in answer)
        return { problem: answer.refused.slice(0, apiLimits.pipelineProblemCharsMax), steps: [] };
      return { steps: answer.steps.slice(0, apiLimits.triedStepsMax).map(triedStep) };
    },

    async create_pipeline_configuration(input, { accountId }) {
      const place = placeOf(input, accountId);
      const { type } = await pipelines.get(place);
      const { configuration_yaml: yaml, configuration_inputs: parts } = input;
      const newest = (await pipelines.configurations(place)).at(-1);
      const given =
        yaml === undefined
          ? { parts: parts!.map((part) => partWithSecrets(part, newest)) }
          : { yaml: withStoredSecrets(yaml, newest?.yaml) };
      const checked = checkedConfiguration(type, given, await rulesOf(place.clusterId, accountId));
      const hasSecrets = [checked.yaml, ...(checked.parts ?? []).map((part) => part.yaml)].some(
        (text) => maskedYaml(text) !== text,
      );
      const { id } = await pipelines.addConfiguration(place, { ...checked, hasSecrets });
      return { configuration_id: id };
    },

    async change_pipeline_state(input, { accountId }) {
      const place = placeOf(input, accountId);
      const { desired_state: state, deployed_configuration_id: deployedConfigurationId } = input;
      const pipeline = await pipelines.get(place);
      if (state === 'running') refuseUnrunnable(pipeline, runnableTypes);
      if (pipeline.type === 'data_lake' && (state ?? pipeline.state) === 'running') {
        const id = deployedConfigurationId ?? pipeline.deployed?.id;
        const { yaml = '' } = (await pipelines.configurations(place)).find((one) => one.id === id) ?? {};
        refuseTooManyTables(await tables.list(place), yaml);
      }
      await pipelines.change(place, { state, deployedConfigurationId });
      void planSoon(place.clusterId);
      return {};
    },

    async describe_pipeline(input, { accountId }) {
      const place = placeOf(input, accountId);
      const pipeline = await pipelines.get(place);
      const configurations = await pipelines.configurations(place);
      const runOf = await pipelineRuns([pipeline], input.virtual_cluster_id, portOf);
      const deployed = configurations.find(({ id }) => id === pipeline.deployed?.id);
      const placed: RunOf = (one) => {
        const run = runOf(one);
        return run && deployed ? withErrorPlaces(run, deployed.yaml) : run;
      };
      return {
        pipeline_overview: overviewOf(pipeline, placed),
        pipeline_configurations: configurations.map(toConfigurationResponse),
        ...(input.include_summary ? { pipeline_summary: toSummaryResponse(pipeline, configurations) } : {}),
      };
    },

    async delete_pipeline(input, { accountId }) {
      const place = placeOf(input, accountId);
      const pipeline = await pipelines.get(place);
      if (pipeline.type === 'orbit' && portOf !== undefined)
        refuseManaging(
          pipeline,
          await portOf(place.clusterId).listManagedTopics({ pipelineId: pipeline.id }),
        );
      await pipelines.delete(place);
      void planSoon(input.virtual_cluster_id);
      return {};
    },
  } satisfies SomeHandlers;
}

function listed(problems: readonly ConfigurationProblem[]) {
  return problems
    .map(({ place: { line, column }, message }) => ({
      line,
      column,
      message: message.slice(0, apiLimits.pipelineProblemCharsMax),
    }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** The problems of the first part that has some, or what all parts together lack. */
function problemsOfParts(type: PipelineType, parts: readonly ConfigurationPart[], rules: ConfigurationRules) {
  try {
    checkedConfiguration(type, { parts }, rules);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationRefusal) {
      const { part, problems } = error;
      return listed(problems).map((problem) => (part === undefined ? problem : { part, ...problem }));
    }
    if (!(error instanceof ApiError) || error.code !== 'invalid_pipeline_configuration') throw error;
    return listed([{ place: { line: 1, column: 1 }, message: error.message }]);
  }
}

function placeOf(
  input: { readonly virtual_cluster_id: string; readonly pipeline_id: string },
  accountId: string,
) {
  return { accountId, clusterId: input.virtual_cluster_id, pipelineId: input.pipeline_id };
}

/** A pipeline must not report that it runs when no engine runs it. */
function refuseUnrunnable({ name, type }: Pipeline, runnableTypes: readonly PipelineType[]): void {
  if (runnableTypes.includes(type)) return;
  throw new OperationFailed(
    'no_pipeline_engine',
    `This release has no engine that runs pipelines of the type ${type}. "${name}" stays paused and as it was, and its configurations are kept; to deploy one, leave desired_state out.`,
  );
}

/** Topics that no migration manages any more would be read-only for ever. */
function refuseManaging({ name }: Pipeline, topics: readonly ManagedTopicState[]): void {
  const managed = topics.filter(({ migration }) => migration.state !== 'MIGRATED');
  const [first] = managed;
  if (first === undefined) return;
  throw new OperationFailed(
    'conflict',
    `"${name}" still manages ${managed.length} topics, first ${first.topic.name}: hand them over with orbit/hand_over, or delete their copies with orbit/delete_copy.`,
  );
}

/** Tables beyond the limit would not be made, so that a pipeline with them does not start. */
function refuseTooManyTables(existing: readonly { readonly name: string }[], yaml: string): void {
  const names = new Set([...existing, ...configuredTables(yaml)].map(({ name }) => name));
  const { tablesPerClusterMax } = coreLimits;
  if (names.size <= Math.max(tablesPerClusterMax, existing.length)) return;
  throw new OperationFailed(
    'limit_exceeded',
    `The cluster would have ${names.size} tables, and can have at most ${tablesPerClusterMax}; delete tables that are not needed, or use another cluster.`,
  );
}

function overviewOf(pipeline: Pipeline, runOf: RunOf): Described['pipeline_overview'] {
  const { id, name, state, type, deployed } = pipeline;
  const run = runOf(pipeline);
  return {
    id,
    name,
    state,
    type,
    deployed_configuration_id: deployed?.id ?? null,
    deployed_configuration_version: deployed?.version ?? null,
    ...(run === undefined ? {} : { run }),
  };
}

function partWithSecrets(
  { name, yaml }: ConfigurationPart,
  newest: PipelineConfiguration | undefined,
): ConfigurationPart {
  const before = newest?.parts?.find((part) => part.name === name)?.yaml;
  return { name, yaml: withStoredSecrets(yaml, before) };
}

/** Secrets are masked: a caller that may read a cluster need not know them. */
function toConfigurationResponse(
  configuration: PipelineConfiguration,
): Described['pipeline_configurations'][number] {
  const { id, version, yaml, parts, createdMs } = configuration;
  return {
    id,
    version,
    configuration_yaml: maskedYaml(yaml),
    ...(parts === undefined
      ? {}
      : { configuration_inputs: parts.map((part) => ({ name: part.name, yaml: maskedYaml(part.yaml) })) }),
    created_at: timeText(createdMs),
  };
}

/** Of the deployed configuration, or of the last one if none is deployed. */
function toSummaryResponse(
  { deployed }: Pipeline,
  configurations: readonly PipelineConfiguration[],
): Described['pipeline_summary'] {
  const chosen = configurations.find(({ id }) => id === deployed?.id) ?? configurations.at(-1);
  const summary = chosen && summaryOf(chosen.yaml);
  if (chosen === undefined || summary === undefined) return null;
  return {
    configuration_id: chosen.id,
    version: chosen.version,
    settings: [...summary.settings],
    settings_left_out: summary.leftOut,
  };
}

/** Within the limits of an answer. */
function triedStep({ path, name, label, batches }: TrialStep): TriedStep {
  const { triedBatchesMax, triedMetadataMax, apiTextCharsMax } = apiLimits;
  const cut = (text: string) => text.slice(0, apiTextCharsMax);
  return {
    path,
    name,
    label,
    batches: batches.slice(0, triedBatchesMax).map((batch) =>
      batch.slice(0, triedBatchesMax).map(({ content, metadata, error }) => ({
        content: cut(content),
        metadata: Object.fromEntries(
          Object.entries(metadata)
            .slice(0, triedMetadataMax)
            .map(([key, value]) => [key.slice(0, 1000), cut(value)]),
        ),
        ...(error !== undefined && { error: cut(error) }),
      })),
    ),
  };
}
