import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallOf, OutputOf } from '@weir/api/client';
import { deletedByChange } from '@weir/api/deletion-warning';
import { call, problemOf } from '../../api/client.ts';
import { useAction } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import { ReviewChanges, type SettingChange } from './review-changes.tsx';

/** Operations that can check a change without making it. */
export type CheckedOperation = 'update_topic' | 'update_virtual_cluster_configuration';

interface ReviewProps<Name extends CheckedOperation> {
  /** `the configs of orders`. */
  readonly what: string;
  readonly operation: Name;
  readonly input: CallOf<Name>;
  /** The call that restores what was set before. */
  readonly undo: CallOf<Name>;
  /** What has to be typed before records are deleted: `orders`. */
  readonly name: string;
  readonly changes: readonly SettingChange[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/**
 * Lets the service check the changes without making them, says what they delete, makes them, and offers to undo them.
 */
export function ReviewConfigs<Name extends CheckedOperation>(props: ReviewProps<Name>) {
  const { what, operation, input, undo, name, changes, onClose, onDone } = props;
  const queries = useQueryClient();
  const update = useAction(operation);
  const check = useQuery({
    queryKey: [`check ${operation}`, input],
    queryFn: () => call(operation, Object.assign({}, input, { validate_only: true })),
    retry: false,
    staleTime: 0,
  });
  const estimate = (check.data as OutputOf<CheckedOperation> | undefined)?.deletion_estimate;
  const deleted = estimate && deletedByChange(estimate);
  const restore = async () => {
    try {
      await call(operation, undo);
      say(`Restored ${what}`);
    } catch (error) {
      say(`Failed to restore ${what}: ${problemOf(error).message}`, 'fail');
    }
    await queries.invalidateQueries();
  };
  const apply = () =>
    update.mutate(input, {
      onSuccess: () => {
        sayWithUndo(`Changed ${what}`, () => void restore());
        onDone();
        onClose();
      },
    });
  return (
    <ReviewChanges
      title={`Change ${what}`}
      what={`change ${what}`}
      changes={changes}
      action={{ isPending: update.isPending || !check.isSuccess, error: update.error }}
      nameToType={deleted === undefined ? undefined : name}
      onClose={onClose}
      onApply={apply}
    >
      {check.isError ? (
        <Failure what="check the change" error={check.error} />
      ) : deleted !== undefined ? (
        <DeletionWarning deleted={deleted} topics={estimate!.topics.map((topic) => topic.name)} />
      ) : (
        <Status kind={check.isSuccess ? 'ok' : 'muted'}>
          {check.isSuccess ? 'The change is valid' : 'Checking …'}
        </Status>
      )}
    </ReviewChanges>
  );
}

interface DeletionWarningProps {
  readonly deleted: string;
  /** Those that lose the most. */
  readonly topics: readonly string[];
}

function DeletionWarning({ deleted, topics }: DeletionWarningProps) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-1 rounded-md border border-warn/40 bg-warn-soft p-3 text-sm"
    >
      <p className="break-words">
        <Status kind="warn" wraps>
          This change deletes {visibleText(deleted)}.
        </Status>
      </p>
      {topics.length > 1 && (
        <p className="font-mono text-xs break-all text-body">{topics.map(visibleText).join(', ')}</p>
      )}
      <p className="text-body">
        Retention deletes them within minutes. Undo keeps what is not deleted yet; nothing brings deleted
        records back.
      </p>
    </div>
  );
}
