import { call } from '../../api/client.ts';
import type { TaskToStart } from '../../tasks/task-store.ts';
import { csvOf } from './csv.ts';

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
      const url = URL.createObjectURL(
        new Blob([text], { type: format === 'json' ? 'application/json' : 'text/csv' }),
      );
      const link = document.createElement('a');
      link.href = url;
      link.download = file;
      link.click();
      URL.revokeObjectURL(url);
      const count = rows.length === 1 ? '1 topic' : `${rows.length.toLocaleString('en')} topics`;
      return { kind: 'ok', text: `Saved ${count} as ${file}` };
    },
  };
}
