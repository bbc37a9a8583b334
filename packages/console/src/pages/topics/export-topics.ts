import { call, problemOf } from '../../api/client.ts';
import { say } from '../../ui/toasts.tsx';
import { csvOf } from './csv.ts';

/** Saves the list of all topics as a file. */
export async function exportTopics(clusterId: string, format: 'csv' | 'json'): Promise<void> {
  try {
    const { topics } = await call('list_topics', { virtual_cluster_id: clusterId });
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
    link.download = `topics.${format}`;
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    say(`Failed to export the topics: ${problemOf(error).message}`, 'fail');
  }
}
