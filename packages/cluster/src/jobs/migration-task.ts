import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that keeps the topics, groups and states of a migration. One per migration, as long as it runs. */
export const migrationTopicsKind = 'migration_topics';

/** The kind of job that copies the partitions of one slot of a migration, as long as it runs. */
export const migrationCopyKind = 'migration_copy';

/** A job of a migration that ran for this long works; its earlier failures are forgotten. */
export const migrationSteadyMs = 600_000;

const common = {
  pipelineId: s.text,
  pipelineName: s.text,
  configurationId: s.text,
  yaml: s.text,
  /** The values of the secrets that the configuration refers to. */
  secrets: s.optional(s.texts),
  /** Of the names and revisions of these secrets: jobs with an earlier value are not wanted. */
  secretsDigest: s.optional(s.text),
};

const migrationTask = s.struct(common);
export type MigrationTask = s.TypeOf<typeof migrationTask>;

export const { write: writeMigrationTask, read: readMigrationTask } = jsonTask<MigrationTask>(migrationTask);

const migrationCopyTask = s.struct({
  ...common,
  /** From 0 to `slotCount` - 1. Each partition belongs to one slot. */
  slot: s.whole,
  slotCount: s.whole,
});
type MigrationCopyTask = s.TypeOf<typeof migrationCopyTask>;

export const { write: writeMigrationCopyTask, read: readMigrationCopyTask } =
  jsonTask<MigrationCopyTask>(migrationCopyTask);

type MigrationName = Pick<MigrationTask, 'pipelineId' | 'configurationId' | 'secretsDigest'>;
type SlotName = MigrationName & Pick<MigrationCopyTask, 'slot' | 'slotCount'>;

/** The scope of the topics of a migration: another configuration, or other secrets, are another job. */
export function migrationScope({ pipelineId, configurationId, secretsDigest }: MigrationName): string {
  return `${pipelineId} ${configurationId} ${secretsDigest ?? ''}`.trimEnd();
}

/** The scope of one slot. */
export function migrationCopyScope({ slot, slotCount, ...name }: SlotName): string {
  return `${name.pipelineId} ${slot}/${slotCount} ${name.configurationId} ${name.secretsDigest ?? ''}`.trimEnd();
}

/** The pipeline of a scope of either kind. */
export function pipelineOfMigrationScope(scope: string): string {
  return scope.split(' ', 1)[0]!;
}

/**
 * The slot of a partition. A hash, so that the partitions of a topic are spread over the slots whatever their numbers
 * are; FNV-1a, because no attacker gains from a slot with more partitions than others.
 */
export function migrationSlotOf(topicId: string, partition: number, slotCount: number): number {
  let hash = 0x811c9dc5;
  for (const char of `${topicId} ${partition}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  // The low bits of this hash are weak.
  return ((hash ^ (hash >>> 15)) >>> 0) % slotCount;
}
