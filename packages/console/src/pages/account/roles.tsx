import { PlusIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { AccountChangeButton } from '../../session/change-button.tsx';
import { useContextOfCaller } from '../../session/context.ts';
import { useFormAction } from '../../ui/actions.ts';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { TeamTabs } from './team-tabs.tsx';

type Role = OutputOf<'list_user_roles'>['user_roles'][number];

/** What people may do, by workspace. */
export function Roles() {
  const roles = useOperation('list_user_roles', {});
  const places = usePlaces();
  const [edited, setEdited] = useState<Role | 'new'>();
  const [deleted, setDeleted] = useState<Role>();
  return (
    <Page
      title="Team"
      tabTitle="Roles"
      facts="A role grants its members access to some or all workspaces."
      actions={
        <AccountChangeButton kind="primary" icon={PlusIcon} onClick={() => setEdited('new')}>
          Create role
        </AccountChangeButton>
      }
    >
      <TeamTabs />
      <Card>
        <Answer of={roles} what="list the roles" rows={3}>
          {(data) => (
            <ul className="divide-y divide-line">
              {data.user_roles.map((role) => (
                <li key={role.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm">
                  <div className="min-w-0 flex-1 basis-56">
                    <p className="font-medium text-ink">{role.name}</p>
                    <p className="text-xs break-words text-muted">{grantsInWords(role, places)}</p>
                  </div>
                  <AccountChangeButton onClick={() => setEdited(role)} aria-label={`Change ${role.name}`}>
                    Change
                  </AccountChangeButton>
                  <AccountChangeButton
                    kind="quiet"
                    className="text-fail"
                    aria-label={`Delete ${role.name}`}
                    onClick={() => setDeleted(role)}
                  >
                    Delete
                  </AccountChangeButton>
                </li>
              ))}
            </ul>
          )}
        </Answer>
      </Card>
      {edited !== undefined && (
        <EditRole role={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {deleted !== undefined && (
        <DeletionDialog
          operation="delete_user_role"
          input={{ user_role_id: deleted.id }}
          what={`role ${deleted.name}`}
          name={deleted.name}
          isInUse={false}
          onClose={() => setDeleted(undefined)}
        >
          <p>A role that members have or that single sign-on assigns cannot be deleted.</p>
        </DeletionDialog>
      )}
    </Page>
  );
}

/** All workspaces, later ones too, and each of them. */
function usePlaces(): readonly (readonly [id: string, name: string])[] {
  const { data: context } = useContextOfCaller();
  return [['*', 'all workspaces'], ...(context?.workspaces ?? []).map(({ id, name }) => [id, name] as const)];
}

function grantsInWords({ access_grants }: Role, places: ReturnType<typeof usePlaces>): string {
  if (access_grants.length === 0) return 'nothing';
  return access_grants
    .map(({ workspace_id, managed_grant_name }) => {
      const place = places.find(([id]) => id === workspace_id)?.[1] ?? workspace_id;
      return `${inWords[managed_grant_name]} ${place}`;
    })
    .join(', ');
}

const inWords: Readonly<Record<Role['access_grants'][number]['managed_grant_name'], string>> = {
  admin: 'administers',
  read_records: 'reads, with records,',
  read_audit_log: 'reads the audit log of',
  read_only: 'reads',
  '': 'nothing in',
};

interface RoleProps {
  readonly role: Role | undefined;
  readonly onClose: () => void;
}

const grants = [
  ['', 'nothing'],
  ['read_only', 'read, without records'],
  ['read_records', 'read, with records'],
  ['admin', 'administer'],
] as const;

function EditRole({ role, onClose }: RoleProps) {
  const create = useFormAction('create_user_role', onClose);
  const update = useFormAction('update_user_role', onClose);
  const places = usePlaces();
  const grantAt = (id: string) =>
    role?.access_grants.find(({ workspace_id }) => workspace_id === id)?.managed_grant_name ?? '';
  return (
    <FormDialog
      title={role === undefined ? 'Create role' : `Change ${role.name}`}
      button={role === undefined ? 'Create role' : 'Change role'}
      action={role === undefined ? create : update}
      onClose={onClose}
      onSubmit={(fields) => {
        const name = textOf(fields, 'name');
        const access_grants = places.flatMap(([id]) => {
          const grant = textOf(fields, id);
          return grant === ''
            ? []
            : [{ workspace_id: id, managed_grant_name: grant as (typeof grants)[1 | 2 | 3][0] }];
        });
        if (role === undefined) create.run({ user_role_name: name, access_grants }, `Created ${name}`);
        else {
          const change = { user_role_id: role.id, new_user_role_name: name, access_grants };
          update.run(change, `Changed ${name}`);
        }
      }}
    >
      <TextField label="Name" name="name" required autoFocus maxLength={60} defaultValue={role?.name}>
        3 to 60 letters, digits, spaces, underscores and hyphens.
      </TextField>
      {places.map(([id, place]) => (
        <SelectField key={id} label={`In ${place}`} name={id} defaultValue={grantAt(id)} options={grants} />
      ))}
    </FormDialog>
  );
}
