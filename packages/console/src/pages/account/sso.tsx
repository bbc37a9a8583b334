import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Command } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { TeamTabs } from './team-tabs.tsx';

type Configuration = OutputOf<'get_sso_configuration'>['sso_configuration'];

/** The OpenID Connect connection of the account. */
export function Sso() {
  const sso = useOperation('get_sso_configuration', {});
  return (
    <Page
      title="Team"
      tabTitle="Single sign-on"
      facts="People sign in with the identity provider of their organization, by OpenID Connect."
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
  const create = useAction('create_sso_configuration');
  const update = useAction('update_sso_configuration');
  const isNew = sso === null;
  if (roles.data === undefined) return null;
  return (
    <Card title={isNew ? 'Set single sign-on up' : 'Settings'}>
      <div className="p-4">
        <Form
          what={isNew ? 'set single sign-on up' : 'change single sign-on'}
          button={isNew ? 'Set it up' : 'Save'}
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
            const onSuccess = () => say('Single sign-on is saved');
            if (sso === null)
              create.mutate(
                { ...settings, sso_identifier: textOf(fields, 'identifier'), client_secret: secret },
                { onSuccess },
              );
            else
              update.mutate(
                {
                  ...settings,
                  sso_connection_id: sso.id,
                  ...(secret === '' ? {} : { client_secret: secret }),
                },
                { onSuccess },
              );
          }}
        >
          {isNew && (
            <Field
              label="Word for its addresses"
              name="identifier"
              help="Lower-case letters, digits, hyphens."
            >
              <TextControl required autoComplete="off" maxLength={63} />
            </Field>
          )}
          <Field label="Issuer" name="issuer" help="Its /.well-known/openid-configuration is asked.">
            <TextControl
              required
              autoComplete="off"
              placeholder="https://issuer.example"
              defaultValue={sso?.issuer_url}
            />
          </Field>
          <Field label="Client id" name="client_id">
            <TextControl required autoComplete="off" defaultValue={sso?.client_id} />
          </Field>
          <Field
            label="Client secret"
            name="secret"
            help={isNew ? 'It is never shown again.' : 'Empty leaves the one that is there.'}
          >
            <TextControl type="password" autoComplete="off" required={isNew} />
          </Field>
          <Field label="Role of new people" name="role" help="Of those who have no other by the claim.">
            <Select
              name="role"
              aria-label="Role of new people"
              defaultValue={sso?.default_role_id}
              options={roles.data.user_roles.map(({ id, name }) => [id, name])}
            />
          </Field>
          <Checkbox
            name="mapping"
            label="Roles follow a claim of the tokens"
            help="They are given and taken away by it at every sign-in."
            defaultChecked={sso?.enable_sso_role_mapping}
          />
          <Field label="Claim" name="claim">
            <TextControl required autoComplete="off" defaultValue={sso?.role_claim ?? 'groups'} />
          </Field>
        </Form>
      </div>
    </Card>
  );
}

function Addresses({ of: sso }: { readonly of: NonNullable<Configuration> }) {
  const remove = useAction('delete_sso_configuration');
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title="Addresses">
      <div className="flex flex-col gap-3 p-4 text-sm text-body">
        <p>The issuer has to allow this redirect:</p>
        <Command text={sso.callback_url} />
        <p>People sign in here, or with the button on the page to sign in:</p>
        <Command text={sso.login_url} />
        <div className="flex justify-end">
          <Button kind="danger" onClick={() => setAsking(true)}>
            Remove single sign-on
          </Button>
        </div>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Remove single sign-on"
        button="Remove single sign-on"
        nameToType={sso.sso_identifier}
        action={remove}
        onConfirm={() =>
          remove.mutate(
            { sso_connection_id: sso.id },
            {
              onSuccess: () => {
                setAsking(false);
                say('Single sign-on is removed');
              },
            },
          )
        }
      >
        <p>People without a password can no longer sign in. The connection can be set up again.</p>
      </ConfirmDialog>
    </Card>
  );
}
