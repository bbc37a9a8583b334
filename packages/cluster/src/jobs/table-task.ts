import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that writes the records of a topic to a table, as long as it is wanted. */
export const tableIngestionKind = 'table_ingestion';

/** The kind of job that keeps a table in order: compaction, expiry of snapshots, clean-up of files. */
export const tableMaintenanceKind = 'table_maintenance';

/** The kind of job that deletes the files of a table that a user deleted, those of its kept records included. */
export const tableRemovalKind = 'table_removal';

/** The kind of job that makes rows of the kept records of a table, by its configuration as it is now. */
export const tableReplayKind = 'table_replay';

/** An ingestion that ran for this long works; its earlier failures are forgotten. */
export const tableSteadyMs = 600_000;

const tableTask = s.struct({
  pipelineId: s.text,
  pipelineName: s.text,
  configurationId: s.text,
  tableUuid: s.text,
  tableName: s.text,
  /** The configuration with this table alone. */
  yaml: s.text,
  /** The values of the secrets that the configuration refers to. */
  secrets: s.optional(s.texts),
  /** Of the names and revisions of these secrets. */
  secretsDigest: s.optional(s.text),
});
export type TableTask = s.TypeOf<typeof tableTask>;

export const { write: writeTableTask, read: readTableTask } = jsonTask<TableTask>(tableTask);

/** It has no configuration: that of a table that was deleted may be gone. */
const tableRemovalTask = s.struct({
  tableUuid: s.text,
  tableName: s.text,
  /** The bucket of the agents if absent. */
  bucketUrl: s.optional(s.text),
  /** The catalog that has it, as JSON of what its configuration said; the bucket itself if absent. */
  catalog: s.optional(s.text),
  /** The values of the secrets that the catalog refers to. */
  secrets: s.optional(s.texts),
});
export type TableRemovalTask = s.TypeOf<typeof tableRemovalTask>;

export const { write: writeTableRemovalTask, read: readTableRemovalTask } =
  jsonTask<TableRemovalTask>(tableRemovalTask);

/** Where the files of a table are in its bucket. */
export function tablePath({ tableName, tableUuid }: Pick<TableTask, 'tableName' | 'tableUuid'>): string {
  return `service/_tableflow/${tableName}-${tableUuid}`;
}

/** The scope of a replay: one that is asked for later is another one. */
export function replayScope({ tableUuid }: Pick<TableTask, 'tableUuid'>, requestedMs: number): string {
  return `${tableUuid} ${requestedMs}`;
}

/** The scope of the ingestion of a table: another configuration, or other secrets, are another job. */
export function ingestionScope({
  tableUuid,
  configurationId,
  secretsDigest,
}: Pick<TableTask, 'tableUuid' | 'configurationId' | 'secretsDigest'>): string {
  return `${ingestionScopeStart({ tableUuid })}${configurationId} ${secretsDigest ?? ''}`.trimEnd();
}

/** What the scopes of all jobs that write a table begin with. */
function ingestionScopeStart({ tableUuid }: Pick<TableTask, 'tableUuid'>): string {
  return `${tableUuid} `;
}

/** The table of an ingestion or a replay, and the configuration of an ingestion. */
export function readIngestionScope(scope: string): Pick<TableTask, 'tableUuid' | 'configurationId'> {
  const [tableUuid = '', configurationId = ''] = scope.split(' ');
  return { tableUuid, configurationId };
}
