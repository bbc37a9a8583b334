import { useQueryClient } from '@tanstack/react-query';
import { clientQuotas, isQuotaKey } from '@weir/core';
import { call, problemOf } from '../../../api/client.ts';
import { useClusterId } from '../../../api/use-cluster.ts';
import { useAction } from '../../../api/use-operation.ts';
import { say, sayWithUndo } from '../../../ui/toasts.tsx';
import { ReviewChanges } from '../../configs/review-changes.tsx';
import { entityText, type QuotaEntity, type QuotaValues, quotaChanges, quotaText } from './quota-text.ts';

interface ReviewQuotasProps {
  readonly entity: QuotaEntity;
  readonly before: QuotaValues;
  readonly after: QuotaValues;
  readonly onClose: () => void;
  /** After the change was made, if that is not all. */
  readonly onDone?: () => void;
}

/** Shows the quotas before and after, sets them, and offers to set them back. */
export function ReviewQuotas({ entity, before, after, onClose, onDone = onClose }: ReviewQuotasProps) {
  const virtual_cluster_id = useClusterId();
  const queries = useQueryClient();
  const update = useAction('update_client_quotas');
  const what = `the quotas of ${entityText(entity)}`;
  const input = { virtual_cluster_id, entity };
  const changes = quotaChanges(before, after);
  const restore = async () => {
    try {
      await call('update_client_quotas', { ...input, quotas: quotaChanges(after, before) });
      say(`Restored ${what}`);
    } catch (error) {
      say(`Failed to restore ${what}: ${problemOf(error).message}`, 'fail');
    }
    await queries.invalidateQueries();
  };
  const shown = (values: QuotaValues, key: string) => {
    const value = isQuotaKey(key) ? values[key] : undefined;
    return isQuotaKey(key) && value !== undefined ? quotaText(key, value) : 'unlimited';
  };
  return (
    <ReviewChanges
      title={`${Object.keys(after).length === 0 ? 'Delete' : 'Change'} ${what}`}
      what={`change ${what}`}
      changes={Object.keys(changes).map((key) => ({
        name: isQuotaKey(key) ? clientQuotas[key].title : key,
        before: shown(before, key),
        after: shown(after, key),
      }))}
      action={update}
      onClose={onClose}
      onApply={() =>
        update.mutate(
          { ...input, quotas: changes },
          {
            onSuccess: () => {
              const verb = Object.keys(after).length === 0 ? 'Deleted' : 'Changed';
              sayWithUndo(`${verb} ${what}`, () => void restore());
              onDone();
            },
          },
        )
      }
    />
  );
}
