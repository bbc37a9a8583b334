import { useNavigate } from '@tanstack/react-router';
import type { CallOf, OutputOf } from '@weir/api/client';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { counted, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import { offsetsOfGroup } from './offsets-of-group.ts';

type Described = OutputOf<'describe_consumer_group'>['group'];

interface OfGroup {
  readonly group: Described;
  readonly onClose: () => void;
}

/** Says what was deleted, with a way back by committing the same offsets again. */
function useSayDeleted(group: string) {
  const reset = useAction('reset_consumer_group_offsets');
  const input = { virtual_cluster_id: useClusterId(), group, to: 'offsets' } as const;
  return (text: string, offsets: CallOf<'reset_consumer_group_offsets'>['offsets']) => {
    if (offsets === undefined) return say(text);
    sayWithUndo(text, () =>
      reset.mutate(
        { ...input, offsets },
        {
          onSuccess: ({ partitions }) =>
            say(
              `Restored the offsets of ${visibleText(group)} in ${counted(partitions.length, 'partition')}`,
            ),
          onError: ({ message }) => say(`Failed to restore the offsets: ${message}`, 'fail'),
        },
      ),
    );
  };
}

interface OfTopic extends OfGroup {
  readonly topic: string;
}

/** Lets a group forget where it is in one topic. */
export function DeleteTopicOffsets({ group, topic, onClose }: OfTopic) {
  const clusterId = useClusterId();
  const remove = useAction('delete_consumer_group_offsets');
  const sayDeleted = useSayDeleted(group.name);
  const offsets = offsetsOfGroup(group, topic);
  const found = group.topics.find(({ name }) => name === topic);
  const isRead = found?.partitions.some(({ member_id }) => member_id !== null) ?? false;
  const name = visibleText(group.name);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete offsets of ${topic}?`}
      button={`Delete offsets of ${topic}`}
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { virtual_cluster_id: clusterId, group: group.name, topic },
          {
            onSuccess: ({ partition_count }) => {
              sayDeleted(
                `Deleted the offsets of ${name} in ${topic}: ${counted(partition_count, 'partition')}`,
                offsets,
              );
              onClose();
            },
          },
        )
      }
    >
      <p>
        This deletes the committed offsets of {name} in {counted(offsets?.length ?? 0, 'partition')} of{' '}
        {topic}
        {found !== undefined &&
          found.total_lag > 0 &&
          `, with ${formatCount(found.total_lag)} records unread`}
        . Its lag on the topic is no longer counted. Offsets of its other topics stay.
      </p>
      <p>
        Consumers that read the topic again start where auto.offset.reset says. No records are deleted. You
        can undo this right after.
      </p>
      {isRead && (
        <p>Members are reading the topic: stop or unsubscribe them first, else the cluster refuses this.</p>
      )}
    </ConfirmDialog>
  );
}

export function DeleteGroup({ group, onClose }: OfGroup) {
  const clusterId = useClusterId();
  const remove = useAction('delete_consumer_group');
  const navigate = useNavigate();
  const sayDeleted = useSayDeleted(group.name);
  const offsets = offsetsOfGroup(group);
  const { name } = group;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete group ${visibleText(name)}?`}
      button={`Delete ${visibleText(name)}`}
      nameToType={name}
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { virtual_cluster_id: clusterId, group: name, confirm_group: name },
          {
            onSuccess: () => {
              sayDeleted(`Deleted ${visibleText(name)}`, offsets);
              void navigate({ to: '/clusters/$clusterId/consumer-groups', params: { clusterId } });
            },
          },
        )
      }
    >
      <p>
        This deletes its committed offsets. Consumers that join the group again start where auto.offset.reset
        says.
      </p>
      <p>
        {offsets === undefined
          ? 'This cannot be undone.'
          : 'You can restore the offsets with the Undo button that appears; later they cannot be recovered.'}
      </p>
    </ConfirmDialog>
  );
}
