import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiLimits } from '@weir/api/limits';
import { systemClock } from '@weir/core';
import { call, problemOf } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { counted, formatTime } from '../../format/format.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import type { Cluster } from './cluster-types.ts';

interface DeleteClusterProps {
  readonly cluster: Pick<Cluster, 'id' | 'name' | 'type'>;
  readonly onClose: () => void;
}

const dayMs = 86_400_000;

/** Says what would go and until when it comes back, deletes, and offers to restore. */
export function DeleteCluster({ cluster, onClose }: DeleteClusterProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isKafka = cluster.type === 'byoc';
  const input = { virtual_cluster_id: cluster.id };
  const overview = useOperation('describe_cluster_overview', input, { isEnabled: isKafka });
  const label = clusterLabel(cluster);
  const untilMs = systemClock.nowMs() + apiLimits.clusterRestorableDays * dayMs;
  const restore = async () => {
    try {
      await call('restore_virtual_cluster', input);
      say(`Restored ${label}`);
    } catch (error) {
      say(`Failed to restore ${label}: ${problemOf(error).message}`, 'fail');
    }
    await queries.invalidateQueries();
  };
  const deletion = useMutation({
    mutationFn: () => call('delete_virtual_cluster', { ...input, virtual_cluster_name: cluster.name }),
    onSuccess: async () => {
      // Away from its pages first: what they show is gone.
      await navigate({ to: '/clusters' });
      onClose();
      sayWithUndo(`Deleted ${label}`, () => void restore());
      await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete cluster ${label}?`}
      button={`Delete ${label}`}
      nameToType={label}
      action={deletion}
      onConfirm={() => deletion.mutate()}
    >
      <p>
        The control plane refuses its agents at once, so{' '}
        {cluster.type === 'byoc_data_lake'
          ? 'tables get no rows any more'
          : 'clients can no longer read or write'}
        .
      </p>
      <p>{whatGoes(cluster.type, overview.data)}</p>
      <p className="font-medium">
        You can restore it, with all of that, until {formatTime(untilMs, 'local')}. After that it cannot be
        recovered.
      </p>
    </ConfirmDialog>
  );
}

interface Counts {
  readonly topic_count: number;
  readonly consumer_group_count: number;
}

function whatGoes(type: Cluster['type'], counts: Counts | undefined): string {
  if (type === 'byoc_schema_registry') return 'Its subjects, schemas, credentials and ACLs are deleted.';
  if (type === 'byoc_data_lake')
    return 'Its pipelines and its list of tables are deleted. The files of the tables stay in the bucket.';
  if (counts === undefined) return 'Its topics, consumer groups, credentials and ACLs are deleted.';
  const topics = counted(counts.topic_count, 'topic');
  const groups = counted(counts.consumer_group_count, 'consumer group');
  return `${topics} with all records, ${groups}, and all credentials and ACLs are deleted.`;
}
