import { useQuery } from '@tanstack/react-query';
import type { CallOf } from '@weir/api/client';
import { call } from '../../api/client.ts';
import { useFormAction } from '../../ui/actions.ts';
import { Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { ReviewChanges, type SettingChange } from './review-changes.tsx';

/** Operations that can check a change without making it. */
export type CheckedOperation = 'update_topic' | 'update_virtual_cluster_configuration';

interface ReviewProps<Name extends CheckedOperation> {
  /** `the configs of orders`. */
  readonly what: string;
  readonly operation: Name;
  readonly input: CallOf<Name>;
  readonly changes: readonly SettingChange[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Lets the service check the changes without making them, and then makes them. */
export function ReviewConfigs<Name extends CheckedOperation>(props: ReviewProps<Name>) {
  const { what, operation, input, changes, onClose, onDone } = props;
  const update = useFormAction(operation, () => {
    onDone();
    onClose();
  });
  const check = useQuery({
    queryKey: [`check ${operation}`, input],
    queryFn: () => call(operation, Object.assign({}, input, { validate_only: true })),
    retry: false,
    staleTime: 0,
  });
  return (
    <ReviewChanges
      title={`Change ${what}`}
      what={`change ${what}`}
      changes={changes}
      action={{ isPending: update.isPending || !check.isSuccess, error: update.error }}
      onClose={onClose}
      onApply={() => update.run(input, `Changed ${what}`)}
    >
      {check.isError ? (
        <Failure what="check the change" error={check.error} />
      ) : (
        <Status kind={check.isSuccess ? 'ok' : 'muted'}>
          {check.isSuccess ? 'The change is valid' : 'Checking …'}
        </Status>
      )}
    </ReviewChanges>
  );
}
