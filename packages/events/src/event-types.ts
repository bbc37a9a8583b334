import { type EventTypeName, eventTypeNames } from '@weir/core';
import { printPath } from './filter/quoting.ts';

export { type EventTypeName, eventTypeNames };

interface EventType {
  readonly title: string;
  readonly description: string;
  readonly clusterKinds: readonly ('kafka' | 'data lake')[];
  readonly emittedBy: readonly ('agent' | 'control_plane')[];
  /** Whether this release has what the events are about, so that there can be some. */
  readonly isEmitted: boolean;
  /** The fields of `data`. An event may lack some of them and have others. */
  readonly fields: readonly EventField[];
}

export interface EventField {
  /** The full path, in the syntax of filters. */
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  readonly description: string;
  /** Whether the fields within it are not fixed by the schema. */
  readonly isOpen?: true;
}

/** One field of `data`. */
function field(name: string, type: EventField['type'], description: string): EventField {
  return { name: printPath(['data', name]), type, description };
}

const text = (name: string, description: string) => field(name, 'string', description);

const clusterFields = [
  text('virtual_cluster_id', 'The virtual cluster: `vci_` and a UUID with underscores.'),
  text('virtual_cluster_name', 'Its name.'),
];

const agentFields = [
  text('agent_id', 'The agent that emitted it, a UUID.'),
  text('hostname_fqdn', 'The host that the agent runs on.'),
];

const logFields = [
  text('log_level', '`debug`, `info`, `warn` or `error`.'),
  text('message', 'What happened, in one line.'),
  text('module', 'The part of the program that says so.'),
];

export const eventTypes: Readonly<Record<EventTypeName, EventType>> = {
  agent_logs: {
    title: 'Agent logs',
    description: 'What agents write into their logs.',
    clusterKinds: ['kafka', 'data lake'],
    emittedBy: ['agent'],
    isEmitted: true,
    fields: [
      ...logFields,
      text('user', 'The user of a failed login.'),
      text('peer', 'The address of the client or server that the line is about.'),
      text('error', 'Why something failed.'),
      ...agentFields,
      ...clusterFields,
    ],
  },
  acl_logs: {
    title: 'ACL logs',
    description:
      'What ACLs allowed and denied, or would have denied in shadow mode. A repeated denial is recorded once a minute, an allowed operation once in ten minutes.',
    clusterKinds: ['kafka'],
    emittedBy: ['agent'],
    isEmitted: true,
    fields: [
      text('principal', '`User:` and the username that the client logged in with.'),
      text(
        'credential_name',
        'The name that a user gave to the credential, by which rules and pages name it.',
      ),
      text('operation', 'The operation, such as `CREATE`.'),
      text('resource_type', 'What it was on, such as `TOPIC`.'),
      text('resource_name', 'Its name.'),
      field('kafka_api_key', 'integer', 'The API key of the Kafka request.'),
      text('kafka_api_key_name', 'The API of the Kafka request, such as `Produce`.'),
      text('schema_registry_operation', 'The operation of the schema registry, such as `register_schema`.'),
      text('http_operation', 'What an HTTP request to the agent asked for, such as `debug_profile`.'),
      field('correlation_id', 'integer', 'The correlation id of the Kafka request.'),
      text('address', 'The address that the agent listens at, `:<port>`.'),
      field('kafka_enabled', 'boolean', 'Whether the agent serves Kafka.'),
      field('is_log', 'boolean', 'Whether it was also written to the log.'),
      field('is_allowed', 'boolean', 'Whether the rules allow it.'),
      text('reason', 'Why it was denied: the rule that denies it, or that none allows it.'),
      field('is_shadow', 'boolean', 'Whether it was only recorded, because of shadow mode.'),
      text('client_address', 'The address of the client.'),
      text('client_id', 'The client id.'),
      field(
        'suppressed',
        'integer',
        'How many equal denials were left out before this one. Counts of events include them.',
      ),
      field(
        'suppressed_others',
        'integer',
        'How many other denials were left out before this one, when there were too many. Counts of events include them.',
      ),
      ...logFields,
      ...agentFields,
      ...clusterFields,
    ],
  },
  pipeline_logs: {
    title: 'Pipeline logs',
    description:
      'What managed pipelines do, and what goes wrong in them; syncs of schema registries of the same workspace too.',
    clusterKinds: ['kafka'],
    emittedBy: ['agent', 'control_plane'],
    isEmitted: true,
    fields: [
      text('pipeline_name', 'The pipeline.'),
      text('pipeline_id', 'The id of the pipeline.'),
      field('instance', 'integer', 'The instance of the pipeline, from 0.'),
      text('stage', 'The part of the pipeline.'),
      text('error', 'Why something failed.'),
      text('registry_id', 'The schema registry cluster, of schema linking.'),
      text('result', 'What a sync of schema linking did.'),
      field(
        'suppressed',
        'integer',
        'How many lines were left out before this one, when there were too many.',
      ),
      ...logFields,
      ...agentFields,
      ...clusterFields,
    ],
  },
  orbit_logs: {
    title: 'Migration logs',
    description:
      'Migration from another cluster: topics that are copied, gaps, partitions that stopped. Automatic migration reports when it starts, completes, takes too long or is aborted.',
    clusterKinds: ['kafka'],
    emittedBy: ['agent', 'control_plane'],
    isEmitted: true,
    fields: [
      text('type', 'What happened.'),
      text('pipeline_name', 'The migration.'),
      text('topic', 'The topic.'),
      ...logFields,
      ...agentFields,
      ...clusterFields,
    ],
  },
  diagnostics_logs: {
    title: 'Diagnostics',
    description: 'A [diagnostic](diagnostics.md) failed, recovered, or was muted or unmuted.',
    clusterKinds: ['kafka', 'data lake'],
    emittedBy: ['control_plane'],
    isEmitted: true,
    fields: [
      text('diagnostic_id', 'The diagnostic.'),
      text('diagnostic_source', 'Where its data comes from.'),
      text('diagnostic_type', 'What it is about.'),
      text('transition', '`failed`, `recovered`, `muted` or `unmuted`.'),
      text('title', 'What it says when it fails.'),
      text('message', 'What was found.'),
      text('severity', '`low`, `medium`, `high` or `critical`, where something was found.'),
      text('by', 'Who muted or unmuted it.'),
      ...clusterFields,
    ],
  },
  tableflow_logs: {
    title: 'Table logs',
    description:
      'The life of tables: created, evolved, started, stopped, failed, and records that could not become rows.',
    clusterKinds: ['data lake'],
    emittedBy: ['agent'],
    isEmitted: true,
    fields: [
      text(
        'type',
        'What happened: `table_created`, `schema_evolved`, `ingestion_started`, `ingestion_stopped`, `ingestion_failed`, `commit_failed`, `record_ingestion_failed` for a record that could not become a row, `records_replayed`, `files_missing`, `table_deleted`, and others.',
      ),
      text('table_name', 'The table.'),
      text('table_uuid', 'Its UUID.'),
      text('pipeline_name', 'The pipeline that writes it; absent if the table was deleted.'),
      text('pipeline_id', 'The id of the pipeline.'),
      field('partition', 'integer', 'The partition of the topic, where it is about one.'),
      field('offset', 'integer', 'The offset in the partition, where it is about a record.'),
      ...logFields,
      ...agentFields,
      ...clusterFields,
    ],
  },
  cluster_metrics: {
    title: 'Cluster metrics',
    description:
      'Metrics of the cluster as events: lag of consumer groups, topics, diagnostics, tables. They come whenever events are enabled, even if metrics are not.',
    clusterKinds: ['kafka', 'data lake'],
    emittedBy: ['agent', 'control_plane'],
    isEmitted: true,
    fields: [
      text(
        'metric_name',
        'The metric, by the name that it has where metrics are scraped. Per topic at the finest, never per partition.',
      ),
      field('value', 'number', 'Its value.'),
      { ...field('tags', 'object', 'Its tags, by name: `data.tags.topic`.'), isOpen: true },
      ...clusterFields,
    ],
  },
};

export function isEventTypeName(name: string): name is EventTypeName {
  return (eventTypeNames as readonly string[]).includes(name);
}

/** The types that clusters of a kind can record. */
export function eventTypesIn(kind: string): readonly EventTypeName[] {
  return eventTypeNames.filter((name) => (eventTypes[name].clusterKinds as readonly string[]).includes(kind));
}
