import { useMutation, useQueryClient } from '@tanstack/react-query';
import { systemClock } from '@weir/core';
import { call, problemOf } from '../../api/client.ts';
import { useOperation } from '../../api/use-operation.ts';
import { formatCount, formatTime } from '../../format/format.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { say } from '../../ui/toasts.tsx';

interface DeleteTopicsProps {
  readonly clusterId: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
  /** After all were deleted. */
  readonly onDone: () => void;
}

const namesShown = 10;

/** Asks, deletes, and offers to restore what was deleted. */
export function DeleteTopics({ clusterId, names, onClose, onDone }: DeleteTopicsProps) {
  const queries = useQueryClient();
  const { data } = useOperation('describe_virtual_cluster_configuration', { virtual_cluster_id: clusterId });
  const configuration = data?.virtual_cluster_configuration;
  const isRestorable = configuration?.soft_delete_topics_enabled === true;
  const untilMs = systemClock.nowMs() + Number(configuration?.inactive_topics_ttl ?? 0) / 1_000_000;
  const [first] = names;
  const what = names.length === 1 ? first! : `${formatCount(names.length)} topics`;
  const deletion = useMutation({
    mutationFn: async () => {
      for (const topic_name of names)
        await call('delete_topic', { virtual_cluster_id: clusterId, topic_name });
    },
    onSettled: () => queries.invalidateQueries(),
    onSuccess: () => {
      const undo = { label: 'Undo', onSelect: () => void restore() };
      say(`Deleted ${what}`, 'ok', isRestorable ? undo : undefined);
      onDone();
      onClose();
    },
  });
  const restore = async () => {
    try {
      for (const topic_name of names)
        await call('undelete_topic', { virtual_cluster_id: clusterId, topic_name });
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
      nameToType={names.length === 1 ? first! : `delete ${names.length} topics`}
      action={deletion}
      onConfirm={() => deletion.mutate()}
    >
      <p>Clients can no longer read from or write to it, and groups stop.</p>
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
            ? `It can be restored with its records until ${formatTime(untilMs, 'local')}.`
            : 'This cluster keeps no deleted topics: it cannot be undone.'}
        </p>
      )}
    </ConfirmDialog>
  );
}
