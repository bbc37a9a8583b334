import { call } from '../../api/client.ts';
import { csvOf } from '../../format/csv.ts';
import { download } from '../../format/download.ts';
import { counted } from '../../format/format.ts';
import type { TaskToStart } from '../../tasks/task-store.ts';

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
        size_bytes: topic.uncompressed_size_hint,
        retention_ms: topic.retention < 0 ? -1 : Number(topic.retention) / 1_000_000,
        created_at: topic.created_at,
      }));
      const text =
        format === 'json'
          ? `${JSON.stringify(rows, null, 2)}\n`
          : csvOf(
              ['name', 'id', 'partitions', 'size_bytes', 'retention_ms', 'created_at'],
              rows.map((row) => Object.values(row)),
            );
      download(file, text);
      return { kind: 'ok', text: `Saved ${counted(rows.length, 'topic')} as ${file}` };
    },
  };
}
