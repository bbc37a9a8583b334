import { clusterTypeOf, type InputOf, type OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  type ClusterPort,
  type ManagedTopicState,
  type MigrationStateAnswer,
  migrationTopicsKind,
  type PreflightOutcome,
  preflightKind,
} from '@weir/cluster';
import { type TenantAccess, usualTenantAccess } from '@weir/cluster/outbound';
import { secretNamesIn, timeText } from '@weir/core';
import { mapTopics, readConfiguration, usualTimeoutMs } from '@weir/migration/configuration';
import { readYaml } from '@weir/pipelines/yaml';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { Pipeline } from '../../accounts/workspaces/pipelines.ts';
import {
  isCuttingOver,
  lineOf,
  type MigrationFacts,
  type MigrationTopic,
  partitionsOf,
  stateOf,
  topicsOf,
  totalsOf,
} from '../../migrations/migration-status.ts';
import { preflightResponse } from '../../migrations/preflight-response.ts';
import { changesOf, type TransitionName, topicsToChange } from '../../migrations/topic-transitions.ts';
import { untilConfirmed } from '../../migrations/until-confirmed.ts';
import { checkedConfiguration } from '../../pipelines/check-configuration.ts';
import { textsIn } from '../../pipelines/tenant-references.ts';
import type { CallContext } from '../call-context.ts';
import { askAgent } from '../cluster/event-queries.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';

/** What a leader says of a migration, and does with it. */
export type MigrationsPort = Pick<
  ClusterPort,
  | 'cancelQuery'
  | 'changeMigrationStates'
  | 'deleteManagedTopics'
  | 'describeReportedMigration'
  | 'listJobs'
  | 'listManagedTopics'
  | 'runQuery'
>;

interface MigrationHandlersOptions {
  readonly portOf?: ((clusterId: string) => MigrationsPort) | undefined;
  /** What configurations may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: TenantAccess | undefined;
  readonly freshUuid: () => string;
}

interface Place {
  readonly accountId: string;
  readonly clusterId: string;
}

interface TransitionInput {
  readonly virtual_cluster_id: string;
  readonly topics?: readonly string[] | undefined;
  readonly reason?: string | undefined;
  readonly validate_only: boolean;
}

type Changes = OutputOf<'orbit/hand_over'>;

interface ChangeOptions {
  /** Of a cut-over; that of the configuration if absent. */
  readonly timeoutMs?: number;
  readonly abortsTransactions?: boolean;
}

/** Topics of an audit entry; it says how many more there were. */
const auditedTopicsMax = 100;

export function migrationHandlers(
  { pipelines, secrets }: Pick<AccountsDatabase, 'pipelines' | 'secrets'>,
  { portOf, tenantAccess = usualTenantAccess, freshUuid }: MigrationHandlersOptions,
) {
  const portFor = (clusterId: string): MigrationsPort => {
    if (portOf === undefined) throw new OperationFailed('no_query_engine');
    return portOf(clusterId);
  };
  const migrationOf = async (place: Place): Promise<Pipeline> => {
    const found = (await pipelines.list(place.accountId, place.clusterId)).find(
      ({ type }) => type === 'orbit',
    );
    if (found === undefined)
      throw new OperationFailed(
        'not_found',
        'The cluster has no migration; create a pipeline of the type orbit with create_pipeline.',
      );
    return found;
  };
  const factsOf = async (pipeline: Pipeline, clusterId: string): Promise<MigrationFacts> => {
    const port = portFor(clusterId);
    const [managed, reported, jobs] = await Promise.all([
      port.listManagedTopics({ pipelineId: pipeline.id }),
      port.describeReportedMigration(pipeline.id),
      port.listJobs(),
    ]);
    return { isRunning: pipeline.state === 'running', managed, reported, jobs };
  };

  /** One transition of people. The answer of a change that another one came before is a conflict, to be read again. */
  const change = async (
    name: TransitionName,
    input: TransitionInput,
    context: CallContext,
    options: ChangeOptions = {},
  ): Promise<Changes> => {
    const place = placeOf(input.virtual_cluster_id, context.accountId);
    const pipeline = await migrationOf(place);
    const { id: pipelineId } = pipeline;
    const port = portFor(place.clusterId);
    const before = topicsToChange(name, await port.listManagedTopics({ pipelineId }), input.topics);
    const deadlineMs =
      name === 'initiate'
        ? context.clock.nowMs() +
          (options.timeoutMs ?? (await configuredTimeoutMs(place, pipeline, before, context)))
        : undefined;
    const { abortsTransactions } = options;
    const common = { by: context.actorName, reason: input.reason ?? '', deadlineMs, abortsTransactions };
    if (input.validate_only) return validated(name, before, deadlineMs);
    let current = before;
    if (name === 'roll back') {
      // Blocked topics go back by the state before.
      const blocked = before.filter(({ migration }) => migration.state === 'BLOCKED');
      if (blocked.length > 0) {
        refuseUnchanged(await port.changeMigrationStates(changesOf('abort', pipelineId, blocked, common)));
        const topicIds = before.map(({ topic }) => topic.topicId);
        current = await port.listManagedTopics({ pipelineId, topicIds });
      }
    }
    const answer = await port.changeMigrationStates(changesOf(name, pipelineId, current, common));
    refuseUnchanged(answer);
    const after = new Map(answer.topics.map(({ topicId, migration }) => [topicId, migration]));
    const changed = before.map((topic) => {
      const migration = after.get(topic.topic.topicId) ?? topic.migration;
      return changeOf(topic, { ...topic, migration });
    });
    context.changed(auditOf(changed));
    if (name === 'start forwarding') {
      const topicIds = before.map(({ topic }) => topic.topicId);
      await untilConfirmed(port, { pipelineId, topicIds }, context);
    }
    return { topics: changed.slice(0, apiLimits.describedMigrationTopicsMax) };
  };

  return {
    async 'orbit/preflight'(input, context) {
      const place = placeOf(input.virtual_cluster_id, context.accountId);
      const { pipelineId, yaml } = await preflightTarget(input, place);
      const known = await secrets.list(place);
      const rules = { ...tenantAccess, secretNames: new Set(known.map(({ name }) => name)) };
      checkedConfiguration('orbit', { yaml }, rules);
      const reading = readYaml(yaml);
      const names = 'problems' in reading ? [] : secretNamesIn(textsIn(reading.value));
      const port = portFor(place.clusterId);
      const { takers } = await port.listJobs();
      const question = {
        kind: preflightKind,
        ...(pipelineId === undefined ? {} : { pipelineId }),
        yaml,
        ...(names.length === 0 ? {} : { secrets: await secrets.open(place, names) }),
        jobAgentCount: takers.find(({ kind }) => kind === migrationTopicsKind)?.agentCount ?? 0,
        rowsMax: apiLimits.preflightRowsMax,
      };
      const outcome = (await askAgent(port, question, {
        queryId: freshUuid(),
        stop: context.stop,
      })) as PreflightOutcome;
      if (outcome.kind === 'answered') return preflightResponse(outcome.answer);
      throw new OperationFailed(
        outcome.reason === 'invalid' ? 'invalid_pipeline_configuration' : 'unavailable',
        lineOf(outcome.message),
      );
    },

    async 'orbit/describe_migration'({ virtual_cluster_id, topic_name }, { accountId }) {
      const place = placeOf(virtual_cluster_id, accountId);
      const pipeline = await migrationOf(place);
      const facts = await factsOf(pipeline, place.clusterId);
      const all = topicsOf(facts);
      const topics = topic_name === undefined ? all : all.filter(({ topic }) => topic === topic_name);
      if (topic_name !== undefined && topics.length === 0)
        throw new OperationFailed('not_found', `The migration has no topic ${topic_name}.`);
      const managed = facts.managed.find(({ topic }) => topic.name === topic_name);
      const report = facts.reported.topics.find(({ topic }) => topic === topic_name);
      return {
        pipeline_id: pipeline.id,
        pipeline_name: pipeline.name,
        pipeline_state: pipeline.state,
        errors: facts.reported.errors.slice(0, apiLimits.migrationErrorsMax).map(lineOf),
        topics_by_state: countsOf(topics),
        totals: totalsOf(topics),
        topics: [...topics],
        ...(managed === undefined ? {} : { partitions: partitionsOf(managed, report) }),
      };
    },

    async 'orbit/auto_migration/status'({ virtual_cluster_id }, { accountId }) {
      const place = placeOf(virtual_cluster_id, accountId);
      const pipeline = await migrationOf(place);
      const topics = topicsOf(await factsOf(pipeline, place.clusterId));
      return { topics: topics.map(statusOf) };
    },

    'orbit/auto_migration/start_forwarding': (input, context) => change('start forwarding', input, context),

    'orbit/auto_migration/initiate': (input, context) =>
      change(
        'initiate',
        input,
        context,
        input.timeout_seconds === undefined ? {} : { timeoutMs: input.timeout_seconds * 1000 },
      ),

    'orbit/auto_migration/abort': (input, context) =>
      change(input.to === 'replicating' ? 'roll back' : 'abort', input, context),

    'orbit/hand_over': (input, context) =>
      change('hand over', input, context, { abortsTransactions: input.abort_open_transactions }),

    async 'orbit/delete_copy'({ virtual_cluster_id, topic_name }, context) {
      const place = placeOf(virtual_cluster_id, context.accountId);
      const { id: pipelineId } = await migrationOf(place);
      const port = portFor(place.clusterId);
      const found = (await port.listManagedTopics({ pipelineId })).find(
        ({ topic }) => topic.name === topic_name,
      );
      if (found === undefined)
        throw new OperationFailed('not_found', `The migration has no copy ${topic_name}.`);
      if (found.migration.state !== 'REPLICATING')
        throw new OperationFailed(
          'conflict',
          `The topic ${topic_name} is ${stateOf(found)}: only a copy that clients just read can be deleted; abort with to: replicating first.`,
        );
      const [result] = await port.deleteManagedTopics([found.topic.topicId], pipelineId);
      if (result !== undefined && result.error !== 'NONE')
        throw new OperationFailed('conflict', `The copy was not deleted: ${result.message ?? result.error}.`);
      context.changed([{ name: topic_name, before: 'copied', after: null }]);
      return {};
    },
  } satisfies SomeHandlers;

  /** Topics of one cut-over go together, and so the shortest time of their mappings is that of all. */
  async function configuredTimeoutMs(
    place: Place,
    { id: pipelineId, deployed }: Pipeline,
    topics: readonly ManagedTopicState[],
    { clock }: CallContext,
  ): Promise<number> {
    const configurations = await pipelines.configurations({ ...place, pipelineId });
    const yaml = configurations.find(({ id }) => id === deployed?.id)?.yaml;
    const reading = yaml === undefined ? undefined : readConfiguration(yaml);
    if (reading === undefined || 'problems' in reading) return usualTimeoutMs;
    const names = topics.map(({ migration }) => ({ name: migration.sourceTopic }));
    const { mapped } = await mapTopics(reading.configuration.mappings, names, clock);
    return mapped.reduce(
      (least, { mapping }) => Math.min(least, mapping.autoMigration.timeoutMs),
      mapped[0]?.mapping.autoMigration.timeoutMs ?? usualTimeoutMs,
    );
  }

  async function preflightTarget(input: InputOf<'orbit/preflight'>, place: Place) {
    const { pipeline_id: pipelineId, configuration_yaml: given } = input;
    if (pipelineId === undefined) {
      const own = (await pipelines.list(place.accountId, place.clusterId)).find(
        ({ type }) => type === 'orbit',
      );
      return { pipelineId: own?.id, yaml: given! };
    }
    const pipeline = await pipelines.get({ ...place, pipelineId });
    if (pipeline.type !== 'orbit')
      throw new OperationFailed(
        'invalid_request',
        `"${pipeline.name}" is a pipeline of the type ${pipeline.type}, and not orbit.`,
      );
    const configurations = await pipelines.configurations({ ...place, pipelineId });
    const chosen = configurations.find(({ id }) => id === pipeline.deployed?.id) ?? configurations.at(-1);
    if (chosen === undefined)
      throw new OperationFailed('conflict', `"${pipeline.name}" has no configuration yet; create one.`);
    return { pipelineId, yaml: chosen.yaml };
  }
}

function placeOf(clusterId: string, accountId: string): Place {
  if (clusterTypeOf(clusterId) !== 'byoc')
    throw new OperationFailed(
      'unsupported_cluster_type',
      'Only Kafka clusters (byoc) have migrations; give the id of one.',
    );
  return { accountId, clusterId };
}

function refuseUnchanged({ error, message }: MigrationStateAnswer): void {
  if (error !== 'NONE') throw new OperationFailed('conflict', lineOf(message ?? error));
}

function validated(
  name: TransitionName,
  topics: readonly ManagedTopicState[],
  deadlineMs: number | undefined,
): Changes {
  const [example] = topics;
  if (example === undefined) return { topics: [] };
  const { to } = changesOf(name, '', [], { by: '', reason: '' });
  return {
    topics: topics.slice(0, apiLimits.describedMigrationTopicsMax).map((topic) => {
      const { deadlineMs: _before, ...rest } = topic.migration;
      const migration = { ...rest, state: to, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
      return changeOf(topic, { ...topic, migration });
    }),
  };
}

function changeOf(before: ManagedTopicState, after: ManagedTopicState): Changes['topics'][number] {
  const { deadlineMs } = after.migration;
  return {
    topic: before.topic.name,
    state_before: stateOf(before),
    state: stateOf(after),
    cut_over_requested: isCuttingOver(after),
    ...(deadlineMs === undefined ? {} : { deadline: timeText(deadlineMs) }),
  };
}

function auditOf(changed: Changes['topics']): Parameters<CallContext['changed']>[0] {
  const shown = changed
    .slice(0, auditedTopicsMax)
    .map(({ topic, state_before, state, cut_over_requested }) => ({
      name: topic,
      before: state_before,
      after: cut_over_requested ? `${state}, cut-over requested` : state,
    }));
  const more = changed.length - shown.length;
  return more === 0 ? shown : [...shown, { name: 'other topics', before: null, after: String(more) }];
}

function countsOf(
  topics: readonly MigrationTopic[],
): OutputOf<'orbit/describe_migration'>['topics_by_state'] {
  const counts = { waiting: 0, refused: 0, replicating: 0, proxy: 0, blocked: 0, migrated: 0 };
  for (const { state } of topics) counts[state]++;
  return counts;
}

function statusOf(topic: MigrationTopic): OutputOf<'orbit/auto_migration/status'>['topics'][number] {
  const { lag_offsets, changed_at, deadline, error, holds, cut_over_requested } = topic;
  const problem = error ?? (cut_over_requested ? holds[0]?.message : undefined);
  return {
    topic: topic.topic,
    state: topic.state,
    ...(lag_offsets === undefined ? {} : { lag_records: lag_offsets }),
    ...(changed_at === undefined ? {} : { started_at: changed_at }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(problem === undefined ? {} : { last_error: problem }),
  };
}
