import { useMutation, useQueryClient } from '@tanstack/react-query';
import { systemClock } from '@weir/core';
import { call, problemOf } from '../../api/client.ts';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { formatCount, formatTime } from '../../format/format.ts';
import { startTask } from '../../tasks/tasks.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { say } from '../../ui/toasts.tsx';
import { deletionOf } from './topic-tasks.ts';

interface DeleteTopicsProps {
  readonly names: readonly string[];
  readonly onClose: () => void;
  /** After it was deleted, or the deletion of several began. */
  readonly onDone: () => void;
}

const namesShown = 10;

/** Asks, deletes, and offers to restore what was deleted. Several are deleted by a task, which the tray shows. */
export function DeleteTopics({ names, onClose, onDone }: DeleteTopicsProps) {
  const clusterId = useClusterId();
  const queries = useQueryClient();
  const { data } = useClusterOperation('describe_virtual_cluster_configuration', {});
  const configuration = data?.virtual_cluster_configuration;
  const isRestorable = configuration?.soft_delete_topics_enabled === true;
  const untilMs = systemClock.nowMs() + Number(configuration?.inactive_topics_ttl ?? 0) / 1_000_000;
  const [first] = names;
  const isOne = names.length === 1;
  const what = isOne ? first! : `${formatCount(names.length)} topics`;
  const deletion = useMutation({
    mutationFn: () => call('delete_topic', { virtual_cluster_id: clusterId, topic_name: first! }),
    onSettled: () => queries.invalidateQueries(),
    onSuccess: () => {
      const undo = { label: 'Undo', onSelect: () => void restore() };
      say(`Deleted ${what}`, 'ok', isRestorable ? undo : undefined);
      onDone();
      onClose();
    },
  });
  const deleteAll = () => {
    startTask(deletionOf(names, { clusterId, isRestorable }));
    onDone();
    onClose();
  };
  const restore = async () => {
    try {
      await call('undelete_topic', { virtual_cluster_id: clusterId, topic_name: first! });
      say(`Restored ${what}`);
    } catch (error) {
      say(`Failed to restore ${what}: ${problemOf(error).message}`, 'fail');
    }
    await queries.invalidateQueries();
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${what}?`}
      button={`Delete ${what}`}
      nameToType={isOne ? first! : `delete ${names.length} topics`}
      action={deletion}
      onConfirm={() => (isOne ? deletion.mutate() : deleteAll())}
    >
      <p>Clients can no longer read from or write to {isOne ? 'it' : 'them'}, and groups stop.</p>
      {names.length > 1 && (
        <ul className="list-disc pl-5 font-mono text-xs break-all">
          {names.slice(0, namesShown).map((name) => (
            <li key={name}>{name}</li>
          ))}
          {names.length > namesShown && <li>and {formatCount(names.length - namesShown)} more</li>}
        </ul>
      )}
      {configuration !== undefined && (
        <p className="font-medium">
          {isRestorable
            ? `You can restore ${isOne ? 'it with its' : 'them with their'} records until ${formatTime(untilMs, 'local')}.`
            : 'This cannot be undone: the cluster does not keep deleted topics.'}
        </p>
      )}
    </ConfirmDialog>
  );
}
