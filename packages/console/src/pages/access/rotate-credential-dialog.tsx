import type { OutputOf } from '@weir/api/client';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { useClusterFormAction } from '../../ui/actions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Time } from '../../ui/time.tsx';
import { WaysToConnect } from './connect/ways-to-connect.tsx';

export type Credential = OutputOf<'list_virtual_cluster_credentials'>['credentials'][number];

interface DialogProps {
  readonly credential: Credential;
  readonly onClose: () => void;
}

const daySeconds = 86_400;
const overlaps = [
  ['0', 'Ends at once'],
  ['3600', 'Valid for 1 hour'],
  [String(daySeconds), 'Valid for 1 day'],
  [String(7 * daySeconds), 'Valid for 7 days'],
  [String(30 * daySeconds), 'Valid for 30 days'],
] as const;

/** Gives a credential a new password, and shows it this once with ways to connect. */
export function RotateCredentialDialog({ credential, onClose }: DialogProps) {
  const clusterId = useClusterId();
  const rotate = useAction('rotate_virtual_cluster_credentials');
  const { id, name } = credential;
  if (rotate.data !== undefined) {
    const { username, password, old_password_ends_at } = rotate.data;
    return (
      <ShownOnce onClose={onClose} title={`Password of ${name} rotated`} isSheet>
        <Secret label={`New password of ${username}`} text={password} />
        <p className="text-sm text-body">
          {old_password_ends_at === null ? (
            'The old password has ended.'
          ) : (
            <>
              The old password is valid until <Time of={old_password_ends_at} />. Give your clients the new
              one before.
            </>
          )}
        </p>
        <WaysToConnect clusterId={clusterId} username={username} password={password} />
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title={`Rotate the password of ${name}`}
      what="rotate the password"
      button="Rotate password"
      action={rotate}
      onClose={onClose}
      onSubmit={(fields) =>
        rotate.mutate({
          virtual_cluster_id: clusterId,
          id,
          overlap_seconds: Number(textOf(fields, 'overlap')),
        })
      }
    >
      <p className="text-sm text-body">
        The credential gets a second password. User name, principal and ACLs stay as they are.
      </p>
      <SelectField
        label="Old password"
        name="overlap"
        defaultValue={String(daySeconds)}
        options={overlaps}
        autoFocus
      >
        Meanwhile clients log in with either password. You can end the old one at any time.
      </SelectField>
    </FormDialog>
  );
}

/** Asks before the old password of a rotation ends, and says whether clients still use it. */
export function EndRotationDialog({ credential, onClose }: DialogProps) {
  const end = useClusterFormAction('end_virtual_cluster_credentials_rotation', onClose);
  const { id, name, old_password } = credential;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`End the old password of ${name}?`}
      button="End old password now"
      action={end}
      onConfirm={() => end.run({ id }, `The old password of ${name} has ended`)}
    >
      <p>
        {old_password === null || old_password.last_used_at === null ? (
          'No login with it is known since the rotation.'
        ) : (
          <>
            Clients still use it: the last known login was <Time of={old_password.last_used_at} isAgo />.
          </>
        )}
      </p>
      <p>
        Logins with it are refused from then on. Clients that are connected stay so until they log in again.
      </p>
    </ConfirmDialog>
  );
}
