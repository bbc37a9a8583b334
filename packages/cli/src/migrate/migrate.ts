import type { Client, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { Failure, pauseUnlessStopped } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { readGivenFile } from '../tools/given-file.ts';
import { roundedBytes } from './amounts.ts';
import { nextStep } from './next-step.ts';
import { type Described, destinationId, migrationOf } from './own-migration.ts';
import { statusText, topicText } from './texts.ts';

/** The exit status of a preflight that found something in the way, and of a cut-over that went back. */
const refusedStatus = 1;

/** How often a watched migration is asked. */
const watchMs = 2_000;

type ApiValues = Pick<FlagValues, 'apiURL' | 'apiKey' | 'cluster' | 'output'>;
type Changes = OutputOf<'orbit/hand_over'>;

async function open(values: ApiValues, deps: Deps) {
  const client = apiClient(values, deps);
  const on = { virtual_cluster_id: await destinationId(client, values.cluster) };
  return { client, on };
}

async function existing(client: Client, virtual_cluster_id: string): Promise<Described> {
  const found = await migrationOf(client, virtual_cluster_id);
  if (found === undefined)
    throw new Failure('the cluster has no migration; create one with weir cli migrate start -config-file');
  return found;
}

/** Says how far a migration is, and what comes next. */
export const guide: Handler<'cli migrate'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const migration = await migrationOf(client, on.virtual_cluster_id);
  const next = nextStep(migration);
  return printResult(values, deps, {
    json: { migration: migration ?? null, next },
    text: () => {
      const state = migration === undefined ? '' : `${statusText(migration)}\n`;
      const command = next.command === undefined ? '' : `\nNext: ${next.command}\n`;
      return `${state}${next.message}\n${command}`;
    },
  });
};

/** Prints what a migration would do. */
export const preflight: Handler<'cli migrate preflight'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const file = values['config-file'];
  const target =
    file === undefined
      ? { pipeline_id: (await existing(client, on.virtual_cluster_id)).pipeline_id }
      : { configuration_yaml: await readConfiguration(file, deps) };
  const found = await orFailure(client.call('orbit/preflight', { ...on, ...target }));
  printResult(values, deps, { json: found, text: () => preflightText(found) });
  return found.is_ready ? 0 : refusedStatus;
};

/** Creates a migration, or gives the one that there is another configuration, and starts it. */
export const start: Handler<'cli migrate start'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const configuration_yaml = await readConfiguration(values['config-file']!, deps);
  const checked = await orFailure(client.call('orbit/preflight', { ...on, configuration_yaml }));
  if (!checked.is_ready && !values.ignorePreflight) {
    deps.output.err(preflightText(checked));
    throw new Failure('the preflight found what stands in the way; mend it, or start with -ignorePreflight');
  }
  if (values.dryRun) {
    printResult(values, deps, { json: checked, text: () => preflightText(checked) });
    return 0;
  }
  const before = await migrationOf(client, on.virtual_cluster_id);
  const pipeline_id =
    before?.pipeline_id ??
    (
      await orFailure(
        client.call('create_pipeline', {
          ...on,
          pipeline_name: values.migrationName,
          pipeline_type: 'orbit',
        }),
      )
    ).pipeline_id;
  const { configuration_id } = await orFailure(
    client.call('create_pipeline_configuration', { ...on, pipeline_id, configuration_yaml }),
  );
  await orFailure(
    client.call('change_pipeline_state', {
      ...on,
      pipeline_id,
      deployed_configuration_id: configuration_id,
      desired_state: 'running',
    }),
  );
  return printResult(values, deps, {
    json: { pipeline_id, configuration_id, preflight: checked },
    text: () =>
      `${checked.totals.topics} topics with ${checked.totals.partitions} partitions are copied from now on.\n\nNext: weir cli migrate status -watch\n`,
  });
};

/** Prints topics with progress and what holds them back; with a topic, its partitions. */
export const status: Handler<'cli migrate status'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const ask = { ...on, ...(values.topic === undefined ? {} : { topic_name: values.topic }) };
  for (;;) {
    const found = await orFailure(client.call('orbit/describe_migration', ask));
    printResult(values, deps, {
      json: found,
      text: () => (values.topic === undefined ? statusText(found) : topicText(found)),
    });
    if (!values.watch) return 0;
    if (isOver(found)) return 0;
    await pauseUnlessStopped(deps.clock, watchMs, deps.stop);
    if (deps.stop.aborted) return stoppedStatus;
    if (values.output !== 'json') deps.output.out('\n');
  }
};

/** Whether nothing of what is shown can change by itself any more. */
function isOver({ topics }: Described): boolean {
  return topics.length > 0 && topics.every(({ state }) => state === 'migrated' || state === 'refused');
}

/** Lets agents pass writes on to the source. */
export const forward: Handler<'cli migrate forward'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const changed = await orFailure(
    client.call('orbit/auto_migration/start_forwarding', { ...on, ...chosen(values) }),
  );
  return printChanges(
    changed,
    values,
    deps,
    'Point producers at the agents, then: weir cli migrate cut-over',
  );
};

/** Asks for a cut-over, and waits for its end if asked to. */
export const cutOver: Handler<'cli migrate cut-over'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const seconds = Math.ceil(values.cutOverTimeout / 1000);
  const changed = await orFailure(
    client.call('orbit/auto_migration/initiate', {
      ...on,
      ...chosen(values),
      ...(seconds === 0 ? {} : { timeout_seconds: seconds }),
    }),
  );
  printChanges(changed, values, deps, 'See how it goes: weir cli migrate status -watch');
  if (!values.watch || values.dryRun) return 0;
  const names = new Set(changed.topics.map(({ topic }) => topic));
  return waitForEnd(() => orFailure(client.call('orbit/describe_migration', on)), names, values, deps);
};

async function waitForEnd(
  describe: () => Promise<Described>,
  names: ReadonlySet<string>,
  values: ApiValues,
  deps: Deps,
): Promise<number> {
  let shown = '';
  for (;;) {
    const { topics } = await describe();
    const own = topics.filter(({ topic }) => names.has(topic));
    const open = own.filter(({ state }) => state !== 'migrated');
    const [first] = open;
    if (first === undefined) {
      printResult(values, deps, {
        json: { migrated: [...names] },
        text: () => `${names.size} topics are migrated.\n`,
      });
      return 0;
    }
    const failed = open.filter(({ cut_over_requested }) => !cut_over_requested);
    if (failed.length === open.length) {
      const { topic, reason, holds } = first;
      throw new Failure(
        `the cut-over of ${open.length} topics has ended without success, and agents forward to the source again: ${topic}: ${reason ?? holds[0]?.message ?? 'no reason is known'}`,
      );
    }
    const line = `${own.length - open.length} of ${own.length} migrated; ${first.topic} is ${first.state}${first.holds[0] === undefined ? '' : `, held back: ${first.holds[0].message}`}`;
    if (line !== shown) deps.output.err(`${line}\n`);
    shown = line;
    await pauseUnlessStopped(deps.clock, watchMs, deps.stop);
    if (deps.stop.aborted) return stoppedStatus;
  }
}

/** Ends a cut-over, or forwarding as a whole. */
export const abort: Handler<'cli migrate abort'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const to = values.rollBack ? 'replicating' : 'proxy';
  const changed = await orFailure(
    client.call('orbit/auto_migration/abort', { ...on, ...chosen(values), to }),
  );
  const next = values.rollBack
    ? 'Point producers at the source again: these topics are read-only here.'
    : 'Agents pass writes on to the source again.';
  return printChanges(changed, values, deps, next);
};

/** Gives topics to clients without a cut-over. */
export const handOver: Handler<'cli migrate hand-over'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  if (!values.confirmHandOver && !values.dryRun)
    throw new Failure(
      'what the source gets from now on is never copied, and it is final; add -confirmHandOver, or -dryRun',
    );
  const changed = await orFailure(
    client.call('orbit/hand_over', {
      ...on,
      topics: [...values.topics],
      validate_only: values.dryRun,
      abort_open_transactions: values.abortTransactions,
    }),
  );
  return printChanges(changed, values, deps, 'Clients write to these topics here, for good.');
};

/** Deletes a copy, so that it is made again. */
export const recopy: Handler<'cli migrate recopy'> = async (values, deps) => {
  const { client, on } = await open(values, deps);
  const topic_name = values.topic!;
  await orFailure(client.call('orbit/delete_copy', { ...on, topic_name }));
  return printResult(values, deps, {
    json: { topic: topic_name },
    text: () => `The copy of ${topic_name} is deleted, and is made again from the beginning of the source.\n`,
  });
};

/** Copies nothing until it is resumed. */
export const pause: Handler<'cli migrate pause'> = (values, deps) =>
  changeState(values, deps, {
    desired_state: 'paused',
    said: 'is paused: nothing is copied, states of topics stay, and no cut-over goes on.',
  });

/** Goes on where it was paused. */
export const resume: Handler<'cli migrate resume'> = (values, deps) =>
  changeState(values, deps, {
    desired_state: 'running',
    said: 'runs; partitions that were stopped are looked at again.',
  });

interface StateChange {
  readonly desired_state: 'paused' | 'running';
  readonly said: string;
}

async function changeState(
  values: ApiValues,
  deps: Deps,
  { desired_state, said }: StateChange,
): Promise<number> {
  const { client, on } = await open(values, deps);
  const { pipeline_id, pipeline_name } = await existing(client, on.virtual_cluster_id);
  await orFailure(client.call('change_pipeline_state', { ...on, pipeline_id, desired_state }));
  return printResult(values, deps, {
    json: { pipeline_id, state: desired_state },
    text: () => `${pipeline_name} ${said}\n`,
  });
}

function chosen({ topics, dryRun }: Pick<FlagValues, 'topics' | 'dryRun'>) {
  return { ...(topics.length === 0 ? {} : { topics: [...topics] }), validate_only: dryRun };
}

function printChanges(
  { topics }: Changes,
  values: ApiValues & Pick<FlagValues, 'dryRun'>,
  deps: Deps,
  next: string,
): number {
  return printResult(values, deps, {
    json: { topics, dry_run: values.dryRun },
    text: () =>
      [
        table(
          ['TOPIC', 'BEFORE', values.dryRun ? 'WOULD BE' : 'NOW', 'DEADLINE'],
          topics.map(({ topic, state_before, state, cut_over_requested, deadline }) => [
            topic,
            state_before,
            cut_over_requested && state === 'proxy' ? 'proxy, cutting over' : state,
            deadline ?? '-',
          ]),
        ),
        values.dryRun ? '\nNothing was changed.\n' : `\n${next}\n`,
      ].join(''),
  });
}

async function readConfiguration(path: string, deps: Deps): Promise<string> {
  return readGivenFile('config-file', path, apiLimits.pipelineConfigurationBytesMax, deps);
}

function preflightText(found: OutputOf<'orbit/preflight'>): string {
  const { totals, source, findings, topics, acls, groups, rows_left_out } = found;
  const size = totals.bytes === undefined ? '' : `, ${roundedBytes(totals.bytes)}`;
  const sections = [
    `${found.is_ready ? 'The migration can start' : 'Something stands in the way'}: ${totals.topics} topics, ${totals.partitions} partitions, ${totals.offsets} offsets${size}; ${totals.groups} groups, ${totals.acls} ACLs; ${source.broker_count} brokers\n`,
    ...(findings.length === 0
      ? []
      : [
          table(
            ['', 'ABOUT', 'WHAT'],
            findings.map(({ severity, subject, message }) => [severity, subject, message]),
          ),
        ]),
    table(
      ['SOURCE', 'HERE', 'WHAT', 'PARTITIONS', 'OFFSETS', 'WHY'],
      topics.map((topic) => [
        topic.source_topic,
        topic.topic ?? '-',
        topic.fate,
        String(topic.partition_count),
        String(topic.offsets),
        topic.reason ?? '',
      ]),
    ),
    ...configsSection(found),
    ...(groups.length === 0
      ? []
      : [
          table(
            ['GROUP', 'HERE', 'WHAT', 'PARTITIONS', 'WHY'],
            groups.map((group) => [
              group.group_id,
              group.destination,
              group.fate,
              String(group.partition_count),
              group.reason ?? '',
            ]),
          ),
        ]),
    ...(acls.length === 0
      ? []
      : [
          table(
            ['ACL', 'CREATED', 'NOTE'],
            acls.map(({ acl, created, note }) => [acl, String(created.length), note ?? '']),
          ),
        ]),
    ...(rows_left_out === 0 ? [] : [`${rows_left_out} more rows are not shown.\n`]),
  ];
  return sections.join('\n');
}

/** Configs that will differ; those that are copied are not of interest. */
function configsSection({ topics, cluster_configs }: OutputOf<'orbit/preflight'>): string[] {
  const rows = [
    ...topics.flatMap(({ source_topic, configs }) =>
      configs.map((config) => [source_topic, config] as const),
    ),
    ...cluster_configs
      .filter(({ fate }) => fate !== 'copied')
      .map((config) => ['the cluster', config] as const),
  ];
  if (rows.length === 0) return [];
  return [
    table(
      ['TOPIC', 'CONFIG', 'VALUE', 'WHAT', 'WHY'],
      rows.map(([owner, { name, value, fate, reason }]) => [owner, name, value, fate, reason ?? '']),
    ),
  ];
}
