import { call } from '../../api/client.ts';
import { csvOf } from '../../format/csv.ts';
import { download } from '../../format/download.ts';
import { counted } from '../../format/format.ts';
import type { TaskToStart } from '../../tasks/task-store.ts';

const columns = [
  'name',
  'id',
  'partitions',
  'records',
  'size_bytes',
  'cleanup_policy',
  'retention_ms',
  'created_at',
] as const;

/** Saves the list of all topics as a file. One call reads them, so that the list is of one moment. */
export function exportOfTopics(clusterId: string, format: 'csv' | 'json'): TaskToStart {
  const file = `topics.${format}`;
  return {
    title: `Export all topics as ${format.toUpperCase()}`,
    run: async ({ signal }) => {
      const { topics } = await call('list_topics', { virtual_cluster_id: clusterId }, signal);
      const rows = topics.map((topic) => ({
        name: topic.name,
        id: topic.id,
        partitions: topic.shard_count,
        records: topic.record_count,
        size_bytes: topic.uncompressed_size_hint,
        cleanup_policy: topic.cleanup_policy,
        retention_ms: topic.retention < 0 ? -1 : Number(topic.retention) / 1_000_000,
        created_at: topic.created_at,
      }));
      const text =
        format === 'json'
          ? `${JSON.stringify(rows, null, 2)}\n`
          : csvOf(
              [...columns],
              rows.map((row) => columns.map((column) => row[column])),
            );
      download(file, text);
      return { kind: 'ok', text: `Saved ${counted(rows.length, 'topic')} as ${file}` };
    },
  };
}
