import { useClusterOperation } from '../../api/use-cluster.ts';
import { formatBytes, formatCount } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { useClusterFormAction } from '../../ui/actions.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Answer, Empty, Failure } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const shownMax = 200;

/** Topics that were deleted and can be restored. */
export function DeletedTopics({ onClose }: { readonly onClose: () => void }) {
  const listed = useClusterOperation('list_topics', { include_recently_deleted: true, limit: 0 });
  const undelete = useClusterFormAction('undelete_topic');
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title="Recently deleted topics"
      description="You can restore a topic with its records and configs until the time shown."
    >
      {undelete.error !== null && <Failure what="restore the topic" error={undelete.error} />}
      <Answer of={listed} what="list the deleted topics">
        {({ recently_deleted_topics: deleted }) =>
          deleted === null || deleted.length === 0 ? (
            <Empty title="No deleted topics">
              Deleted topics stay here until they can no longer be restored.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {deleted.slice(0, shownMax).map((topic) => (
                <li key={topic.id} className="flex items-center gap-3 py-2">
                  <div className="min-w-0 flex-1">
                    <p className="font-medium break-words text-ink">{topic.name}</p>
                    <p className="text-xs text-muted">
                      {formatCount(topic.shard_count)} partitions ·{' '}
                      {formatBytes(topic.uncompressed_size_hint)} · until <Time of={topic.restorable_until} />
                    </p>
                  </div>
                  <ChangeButton
                    disabled={undelete.isPending}
                    aria-label={`Restore ${topic.name}`}
                    onClick={() => undelete.run({ topic_id: topic.id }, `Restored ${topic.name}`)}
                  >
                    Restore
                  </ChangeButton>
                </li>
              ))}
              {deleted.length > shownMax && (
                <li className="py-2 text-sm text-muted">
                  and {formatCount(deleted.length - shownMax)} older ones
                </li>
              )}
            </ul>
          )
        }
      </Answer>
    </Dialog>
  );
}
