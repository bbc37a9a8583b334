import { useNavigate } from '@tanstack/react-router';
import type { CallOf, OutputOf } from '@weir/api/client';
import { useAction } from '../../api/use-operation.ts';
import { formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import { offsetsOfGroup } from './offsets-of-group.ts';

type Described = OutputOf<'describe_consumer_group'>['group'];

interface OfGroup {
  readonly clusterId: string;
  readonly group: Described;
  readonly onClose: () => void;
}

/** Says what was deleted, with a way back by committing the same offsets again. */
function useSayDeleted(clusterId: string, group: string) {
  const reset = useAction('reset_consumer_group_offsets');
  const input = { virtual_cluster_id: clusterId, group, to: 'offsets' } as const;
  return (text: string, offsets: CallOf<'reset_consumer_group_offsets'>['offsets']) => {
    if (offsets === undefined) return say(text);
    sayWithUndo(text, () =>
      reset.mutate(
        { ...input, offsets },
        {
          onSuccess: ({ partitions }) =>
            say(`${visibleText(group)} is again where it was in ${partitionsText(partitions.length)}`),
          onError: ({ message }) => say(`The offsets did not come back: ${message}`, 'fail'),
        },
      ),
    );
  };
}

const partitionsText = (count: number) => (count === 1 ? '1 partition' : `${formatCount(count)} partitions`);

interface OfTopic extends OfGroup {
  readonly topic: string;
}

/** Lets a group forget where it is in one topic. */
export function DeleteTopicOffsets({ clusterId, group, topic, onClose }: OfTopic) {
  const remove = useAction('delete_consumer_group_offsets');
  const sayDeleted = useSayDeleted(clusterId, group.name);
  const offsets = offsetsOfGroup(group, topic);
  const found = group.topics.find(({ name }) => name === topic);
  const isRead = found?.partitions.some(({ member_id }) => member_id !== null) ?? false;
  const name = visibleText(group.name);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete the offsets of ${topic}`}
      button={`Delete the offsets of ${topic}`}
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { virtual_cluster_id: clusterId, group: group.name, topic },
          {
            onSuccess: ({ partition_count }) => {
              sayDeleted(`${name} forgot ${topic}: ${partitionsText(partition_count)}`, offsets);
              onClose();
            },
          },
        )
      }
    >
      <p>
        {name} forgets where it is in {partitionsText(offsets?.length ?? 0)} of {topic}
        {found !== undefined &&
          found.total_lag > 0 &&
          `, with ${formatCount(found.total_lag)} records unread`}
        . Its lag of the topic is no longer counted. Its other topics stay as they are.
      </p>
      <p>
        If it reads the topic again, it begins where the setting auto.offset.reset of its consumers says.
        Records are not deleted, and the offsets can be put back right after.
      </p>
      {isRead && <p>Members read the topic now, so that this is refused until they stop or unsubscribe.</p>}
    </ConfirmDialog>
  );
}

export function DeleteGroup({ clusterId, group, onClose }: OfGroup) {
  const remove = useAction('delete_consumer_group');
  const navigate = useNavigate();
  const sayDeleted = useSayDeleted(clusterId, group.name);
  const offsets = offsetsOfGroup(group);
  const { name } = group;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete the group ${visibleText(name)}`}
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
        Its committed offsets are forgotten. Consumers that join it again begin where their setting
        auto.offset.reset says.
      </p>
      <p>
        {offsets === undefined
          ? 'This cannot be undone.'
          : 'Right after, the offsets can be put back with the button that then appears; later they cannot.'}
      </p>
    </ConfirmDialog>
  );
}
