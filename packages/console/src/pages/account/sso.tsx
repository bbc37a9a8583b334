import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { useFormAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/fields.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Command } from '../../ui/states.tsx';
import { TeamTabs } from './team-tabs.tsx';

type Configuration = OutputOf<'get_sso_configuration'>['sso_configuration'];

/** The OpenID Connect connection of the account. */
export function Sso() {
  const sso = useOperation('get_sso_configuration', {});
  return (
    <Page
      title="Team"
      tabTitle="Single sign-on"
      facts="Members sign in with the identity provider of their organization (OpenID Connect)."
    >
      <TeamTabs />
      <Answer of={sso} what="describe single sign-on">
        {(data) => (
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
            <Settings key={data.sso_configuration?.id} of={data.sso_configuration} />
            {data.sso_configuration !== null && <Addresses of={data.sso_configuration} />}
          </div>
        )}
      </Answer>
    </Page>
  );
}

function Settings({ of: sso }: { readonly of: Configuration }) {
  const roles = useOperation('list_user_roles', {});
  const create = useFormAction('create_sso_configuration');
  const update = useFormAction('update_sso_configuration');
  const isNew = sso === null;
  if (roles.data === undefined) return null;
  return (
    <Card title={isNew ? 'Set up single sign-on' : 'Settings'}>
      <div className="p-4">
        <Form
          what={isNew ? 'set up single sign-on' : 'change single sign-on'}
          button={isNew ? 'Set up' : 'Save'}
          action={isNew ? create : update}
          onSubmit={(fields) => {
            const settings = {
              issuer_url: textOf(fields, 'issuer'),
              client_id: textOf(fields, 'client_id'),
              default_role_id: textOf(fields, 'role'),
              enable_sso_role_mapping: fields.get('mapping') !== null,
              role_claim: textOf(fields, 'claim'),
            };
            const secret = String(fields.get('secret') ?? '');
            const said = 'Saved single sign-on';
            const given = secret === '' ? {} : { client_secret: secret };
            if (sso === null) {
              const sso_identifier = textOf(fields, 'identifier');
              create.run({ ...settings, sso_identifier, client_secret: secret }, said);
            } else update.run({ ...settings, ...given, sso_connection_id: sso.id }, said);
          }}
        >
          {isNew && (
            <TextField label="Slug" name="identifier" required maxLength={63}>
              Part of its URLs: lower-case letters, digits and hyphens.
            </TextField>
          )}
          <TextField
            label="Issuer"
            name="issuer"
            required
            placeholder="https://issuer.example"
            defaultValue={sso?.issuer_url}
          >
            Weir reads its /.well-known/openid-configuration.
          </TextField>
          <TextField label="Client id" name="client_id" required defaultValue={sso?.client_id} />
          <TextField label="Client secret" name="secret" type="password" required={isNew}>
            {isNew ? 'It is not shown again.' : 'Leave empty to keep the current one.'}
          </TextField>
          <SelectField
            label="Default role"
            name="role"
            defaultValue={sso?.default_role_id}
            options={roles.data.user_roles.map(({ id, name }) => [id, name])}
          >
            For new members without a role from the claim.
          </SelectField>
          <Checkbox
            name="mapping"
            label="Assign roles from a token claim"
            help="Roles are granted and revoked at every sign-in."
            defaultChecked={sso?.enable_sso_role_mapping}
          />
          <TextField label="Claim" name="claim" required defaultValue={sso?.role_claim ?? 'groups'} />
        </Form>
      </div>
    </Card>
  );
}

function Addresses({ of: sso }: { readonly of: NonNullable<Configuration> }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const remove = useFormAction('delete_sso_configuration', close);
  return (
    <Card title="URLs">
      <div className="flex flex-col gap-3 p-4 text-sm text-body">
        <p>Allow this redirect URL at the issuer:</p>
        <Command text={sso.callback_url} />
        <p>Members sign in here, or with the button on the sign-in page:</p>
        <Command text={sso.login_url} />
        <div className="flex justify-end">
          <Button kind="danger" onClick={() => setAsking(true)}>
            Remove single sign-on
          </Button>
        </div>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        title="Remove single sign-on?"
        button="Remove single sign-on"
        nameToType={sso.sso_identifier}
        action={remove}
        onConfirm={() => remove.run({ sso_connection_id: sso.id }, 'Removed single sign-on')}
      >
        <p>Members without a password can no longer sign in. You can set up the connection again.</p>
      </ConfirmDialog>
    </Card>
  );
}
