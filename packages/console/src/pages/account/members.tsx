import { PlusIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { AccountChangeButton } from '../../session/change-button.tsx';
import { useContextOfCaller } from '../../session/context.ts';
import { useButtonAction, useFormAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Secret } from '../../ui/secret.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Answer } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { TeamTabs } from './team-tabs.tsx';

type User = OutputOf<'users/list'>['users'][number];
type Role = OutputOf<'list_user_roles'>['user_roles'][number];

/** The people of the account and those who were invited. */
export function Members() {
  const users = useOperation('users/list', {});
  const roles = useOperation('list_user_roles', {});
  const { data: context } = useContextOfCaller();
  const [isInviting, setInviting] = useState(false);
  const [changed, setChanged] = useState<User>();
  const [removed, setRemoved] = useState<User>();
  const known = roles.data?.user_roles ?? [];
  return (
    <Page
      title="Team"
      tabTitle="Members"
      facts="People who can sign in. Their roles decide what they may do."
      actions={
        <AccountChangeButton kind="primary" icon={PlusIcon} onClick={() => setInviting(true)}>
          Invite member
        </AccountChangeButton>
      }
    >
      <TeamTabs />
      <Card title="Members">
        <Answer of={users} what="list the members" rows={3}>
          {(data) => (
            <ul className="divide-y divide-line">
              {data.users.map((user) => (
                <li key={user.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm">
                  <div className="min-w-0 flex-1 basis-56">
                    <p className="truncate font-medium text-ink" title={visibleText(user.email)}>
                      <bdi>{visibleText(user.name)}</bdi>{' '}
                      <span className="font-normal text-muted">{user.email}</span>
                    </p>
                    <p className="text-xs text-muted">
                      {rolesInWords(user, known)} · signed in <Time of={user.last_signed_in_at} isAgo />
                    </p>
                  </div>
                  <Button onClick={() => setChanged(user)}>Change roles</Button>
                  {user.id !== context?.actor.id && (
                    <Button kind="quiet" className="text-fail" onClick={() => setRemoved(user)}>
                      Remove
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Answer>
      </Card>
      <Invitations roles={known} />
      {isInviting && <Invite roles={known} onClose={() => setInviting(false)} />}
      {changed !== undefined && (
        <ChangeRoles user={changed} roles={known} onClose={() => setChanged(undefined)} />
      )}
      {removed !== undefined && <Remove user={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function rolesInWords({ user_role_ids }: User, roles: readonly Role[]): string {
  const names = roles.filter(({ id }) => user_role_ids.includes(id)).map(({ name }) => name);
  return names.length === 0 ? 'no role, no access' : names.join(', ');
}

function Invitations({ roles }: { readonly roles: readonly Role[] }) {
  const invitations = useOperation('users/list_invitations', {});
  const withdraw = useButtonAction('users/delete_invitation');
  const rows = invitations.data?.invitations ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title="Pending invitations">
      <ul className="divide-y divide-line">
        {rows.map(({ id, email, user_role_id, expires_at }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm">
            <span className="min-w-0 flex-1 basis-48 truncate text-ink">{email}</span>
            <span className="text-muted">
              {roles.find((role) => role.id === user_role_id)?.name} · until <Time of={expires_at} />
            </span>
            <Button
              disabled={withdraw.isPending}
              onClick={() => withdraw.run({ invitation_id: id }, `Withdrew the invitation of ${email}`)}
            >
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface InviteProps {
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}

function Invite({ roles, onClose }: InviteProps) {
  const invite = useAction('users/create_invitations');
  const made = invite.data?.invitations[0];
  if (made !== undefined)
    return (
      <ShownOnce onClose={onClose} title={`Invited ${made.email}`}>
        <p className="text-sm text-body">
          Weir does not send e-mail: share this link yourself. It works once, until{' '}
          <Time of={made.expires_at} />.
        </p>
        <Secret label="Invitation link" text={made.invitation_url} />
      </ShownOnce>
    );
  return (
    <FormDialog
      title="Invite member"
      what="invite the member"
      button="Invite"
      action={invite}
      onClose={onClose}
      onSubmit={(fields) =>
        invite.mutate({
          invitations: [{ email: textOf(fields, 'email'), user_role_id: textOf(fields, 'role') }],
        })
      }
    >
      <TextField label="E-mail" name="email" required autoFocus>
        The address to sign in with.
      </TextField>
      <SelectField label="Role" name="role" options={roles.map(({ id, name }) => [id, name])}>
        You can change it later.
      </SelectField>
    </FormDialog>
  );
}

interface OfUser {
  readonly user: User;
  readonly onClose: () => void;
}

function ChangeRoles({ user, roles, onClose }: OfUser & { readonly roles: readonly Role[] }) {
  const update = useFormAction('users/update_roles', onClose);
  return (
    <FormDialog
      title={`Roles of ${user.name}`}
      button="Change roles"
      action={update}
      onClose={onClose}
      onSubmit={(fields) => {
        const wanted = new Set(fields.getAll('role').map(String));
        update.run(
          {
            user_id: user.id,
            assigned_role_ids: [...wanted].filter((id) => !user.user_role_ids.includes(id)),
            unassigned_role_ids: user.user_role_ids.filter((id) => !wanted.has(id)),
          },
          `Changed the roles of ${user.name}`,
        );
      }}
    >
      {roles.map(({ id, name }) => (
        <Checkbox
          key={id}
          name="role"
          value={id}
          label={name}
          defaultChecked={user.user_role_ids.includes(id)}
        />
      ))}
    </FormDialog>
  );
}

function Remove({ user, onClose }: OfUser) {
  const remove = useFormAction('users/delete', onClose);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove ${user.name}?`}
      button={`Remove ${user.name}`}
      nameToType={user.email}
      action={remove}
      onConfirm={() => remove.run({ user_id: user.id }, `Removed ${user.email}`)}
    >
      <p>The sessions of {user.email} end now. Keys that this person made stay: delete them on their page.</p>
      <p>To return, the person needs a new invitation.</p>
    </ConfirmDialog>
  );
}
