import type { Client } from '@weir/api';
import type { EventTypeName } from '@weir/core';
import { demoGroups } from '../src/demo/cast.ts';
import { demoPipelines } from '../src/demo/pipelines.ts';
import { demoSubjects, schemaTopics, subjectOf } from '../src/demo/schemas.ts';
import { demoTopicNames } from '../src/demo/topics.ts';

/** A running demo, as its user reaches it. */
export interface DemoUnderTest {
  readonly client: Client;
  readonly clusterId: string;
}

/** Something that `weir demo` promises to show. `missing` returns what is not there yet, or `undefined`. */
export interface DemoPromise {
  readonly name: string;
  /** Whether it holds at every moment after the first. */
  readonly isLasting?: boolean;
  readonly missing: (demo: DemoUnderTest) => Promise<string | undefined>;
}

/** The diagnostics that fail within a few minutes, and what each is about. */
export const promisedDiagnostics: Readonly<Record<string, string>> = {
  invalid_acls: 'campaign-*',
  subjects_without_compatibility: 'page-views-value',
  topics_without_retention: 'audit-trail',
  produce_timeout_too_low: 'kiosk',
  records_without_valid_schema: 'shipments',
  consumer_group_falling_behind: demoGroups.slow,
};

/** The diagnostic that needs ten minutes. */
const lateDiagnostics: Readonly<Record<string, string>> = { consumer_group_stuck: demoGroups.stuck };

/** A member that keeps up is at most a few seconds behind. */
const smallShare = 0.5;

interface PromisedGroup {
  readonly members: number;
  readonly state: 'Stable' | 'Empty';
  readonly isBehind: boolean;
}

const promisedGroups: Readonly<Record<keyof typeof demoGroups, PromisedGroup>> = {
  healthy: { members: 2, state: 'Stable', isBehind: false },
  committed: { members: 1, state: 'Stable', isBehind: false },
  slow: { members: 1, state: 'Stable', isBehind: true },
  stuck: { members: 1, state: 'Stable', isBehind: true },
  abandoned: { members: 0, state: 'Empty', isBehind: true },
};

const promisedEvents: readonly [type: EventTypeName, filter: string][] = [
  ['acl_logs', 'data.credential_name == "marketing" and data.operation == "READ"'],
  ['acl_logs', 'data.credential_name == "partner" and data.operation == "WRITE"'],
  ['agent_logs', 'data.message == "failed to authenticate client"'],
  ['cluster_metrics', `data.metric_name == "service_diagnostic_failure" and data.value == 1`],
];

/** What a demo shows soon: how soon depends on the rate and the interval of the diagnostics. */
export const earlyPromises: readonly DemoPromise[] = [
  ...demoTopicNames.map(recordsIn),
  ...(Object.keys(promisedGroups) as (keyof typeof demoGroups)[]).map(groupOf),
  ...Object.keys(demoPipelines('')).map(pipelineNamed),
  ...schemaTopics.map((topic): DemoPromise => {
    const { versions, compatibility = 'BACKWARD' } = demoSubjects[topic];
    return {
      name: `the schemas of ${topic}`,
      async missing({ client, clusterId }) {
        const { subjects } = await client.call('list_subjects', { virtual_cluster_id: clusterId });
        const found = subjects.find(({ subject }) => subject === subjectOf(topic));
        const isThere =
          found?.version_count === versions.length && found.compatibility_level === compatibility;
        return isThere ? undefined : shown(found);
      },
    };
  }),
  ...promisedEvents.map(([type, filter]) => eventLike(type, filter)),
  ...Object.entries(promisedDiagnostics).flatMap(diagnosticOf),
];

/** What needs a minute at least, because agents report metrics as events once a minute. */
export const minutePromises: readonly DemoPromise[] = [
  eventLike(
    'cluster_metrics',
    `data.metric_name == "service_consumer_group_lag" and data.tags.consumer_group == "${demoGroups.slow}"`,
  ),
];

export const latePromises: readonly DemoPromise[] = Object.entries(lateDiagnostics).flatMap(diagnosticOf);

function recordsIn(topicName: string): DemoPromise {
  return {
    name: `records in ${topicName}`,
    async missing({ client, clusterId }) {
      const { topics } = await client.call('list_topics', { virtual_cluster_id: clusterId });
      const found = topics.find(({ name }) => name === topicName);
      return found !== undefined && found.uncompressed_size_hint > 0 ? undefined : shown(found);
    },
  };
}

/** A pipeline that runs, writes, and has a consumer group. */
function pipelineNamed(pipelineName: string): DemoPromise {
  return {
    name: `pipeline ${pipelineName}`,
    async missing({ client, clusterId }) {
      const { pipelines } = await client.call('list_pipelines', { virtual_cluster_id: clusterId });
      const run = pipelines.find(({ name }) => name === pipelineName)?.run;
      const [instance] = run?.instances ?? [];
      const isRight =
        run?.status === 'running' && instance!.message_count > 0 && instance!.messages_per_second > 0;
      return isRight ? undefined : shown(run);
    },
  };
}

function groupOf(role: keyof typeof demoGroups): DemoPromise {
  const { members, state, isBehind } = promisedGroups[role];
  return {
    name: `group ${demoGroups[role]}`,
    async missing({ client, clusterId }) {
      const { group } = await client.call('describe_consumer_group', {
        virtual_cluster_id: clusterId,
        group: demoGroups[role],
      });
      const written = group.topics
        .flatMap(({ partitions }) => partitions)
        .reduce((sum, { end_offset }) => sum + end_offset, 0);
      const isLagRight = isBehind
        ? group.total_lag > smallShare * written
        : group.total_lag < smallShare * written;
      const isRight = group.state === state && group.members.length === members && isLagRight;
      return isRight ? undefined : shown({ ...group, topics: undefined, written });
    },
  };
}

/** A diagnostic that fails, by name and by what it is about, and the event about it. */
function diagnosticOf([name, about]: [name: string, about: string]): readonly DemoPromise[] {
  return [
    {
      name: `diagnostic ${name}`,
      isLasting: true,
      async missing({ client, clusterId }) {
        const { diagnostics } = await client.call('list_diagnostics', { virtual_cluster_id: clusterId });
        const found = diagnostics.find(({ diagnostic_id }) => diagnostic_id === name);
        const hasFailed = found?.successful === false && found.cause?.includes(about) === true;
        return hasFailed ? undefined : shown(found);
      },
    },
    eventLike('diagnostics_logs', `data.diagnostic_id == "${name}" and data.transition == "failed"`),
  ];
}

function eventLike(type: EventTypeName, filter: string): DemoPromise {
  return {
    name: `${type} with ${filter}`,
    async missing({ client, clusterId }) {
      const { events } = await client.call('search_events', {
        virtual_cluster_id: clusterId,
        event_types: [type],
        time_range: { relative: '1h' },
        filter,
        limit: 1,
      });
      return events.length > 0 ? undefined : 'no such event';
    },
  };
}

/** What was found instead of what was promised. */
function shown(found: object | undefined): string {
  return found === undefined ? 'not there' : JSON.stringify(found);
}

/** The promises that were not kept so far, each with what is missing. */
export async function brokenPromises(
  demo: DemoUnderTest,
  promises: readonly DemoPromise[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  // One after the other, because a cluster answers few queries of events at a time.
  for (const { name, missing } of promises) {
    const problem = await missing(demo).catch((error: Error) => error.message);
    if (problem !== undefined) broken.push(`${name}: ${problem}`);
  }
  return broken;
}
