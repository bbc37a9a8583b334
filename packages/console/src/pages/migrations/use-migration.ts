import type { OutputOf } from '@weir/api/client';
import { useClusterOperation } from '../../api/use-cluster.ts';

export type Migration = OutputOf<'orbit/describe_migration'>;
export type MigrationTopic = Migration['topics'][number];
export type Preflight = OutputOf<'orbit/preflight'>;

/** Agents report about this often. */
const reportedEveryMs = 5_000;

export function useMigration() {
  return useClusterOperation('orbit/describe_migration', {}, { everyMs: reportedEveryMs });
}

/** One topic with its partitions. */
export function useMigrationTopic(topic_name: string) {
  return useClusterOperation('orbit/describe_migration', { topic_name }, { everyMs: reportedEveryMs });
}
