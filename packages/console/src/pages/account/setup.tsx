import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useAction } from '../../api/use-operation.ts';
import { TextField } from '../../ui/fields.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Failure } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { WaysToConnect } from '../access/connect/ways-to-connect.tsx';
import { AccountForm } from './account-form.tsx';
import { grantOf } from './key-grants.ts';
import { LinkIsNotWhole, NameField, NewPasswordField, useLinkToken } from './sign-up-fields.tsx';

interface Begun {
  readonly keyName: string;
  readonly key: string;
  readonly login?:
    | { readonly clusterId: string; readonly username: string; readonly password: string }
    | undefined;
}

/** A key for programs, and a login for the first client of the Kafka cluster, if there is one. */
async function begin(workspaceId: string): Promise<Begun> {
  const grant = grantOf({ kind: 'app', workspaceId, clusterId: '' });
  const { name, key } = await call('create_api_key', { name: 'first', access_grants: [grant] });
  const { workspaces } = await call('get_context', {});
  const clusters = workspaces.flatMap(({ virtual_clusters }) => virtual_clusters);
  const clusterId = clusters.find(({ type }) => type === 'byoc')?.id;
  if (clusterId === undefined) return { keyName: name, key };
  const { username, password } = await call('create_virtual_cluster_credentials', {
    virtual_cluster_id: clusterId,
    credentials_name: 'first',
    is_cluster_superuser: true,
  });
  return { keyName: name, key, login: { clusterId, username, password } };
}

/** The first start: the link that the control plane printed makes the first user, a key and a login. */
export function Setup() {
  const token = useLinkToken();
  const setup = useAction('setup');
  const queries = useQueryClient();
  const [begun, setBegun] = useState<Begun>();
  const [error, setError] = useState<unknown>(null);

  if (begun !== undefined) return <Ready begun={begun} />;
  return (
    <AccountForm title="Set up Weir">
      <p className="text-sm text-body">You will be the administrator of this installation.</p>
      {token === '' && <LinkIsNotWhole />}
      {setup.data === undefined ? (
        <Form
          what="set up Weir"
          button="Set up"
          action={setup}
          onSubmit={(fields) =>
            setup.mutate(
              {
                token,
                account_name: textOf(fields, 'account_name'),
                email: textOf(fields, 'email'),
                name: textOf(fields, 'name'),
                password: String(fields.get('password') ?? ''),
              },
              {
                onSuccess: ({ workspace_id }) => {
                  queries.clear();
                  begin(workspace_id).then(setBegun, setError);
                },
              },
            )
          }
        >
          <TextField
            label="Account"
            name="account_name"
            required
            autoFocus
            maxLength={128}
            autoComplete="organization"
          >
            Your organization or your team.
          </TextField>
          <TextField label="E-mail" name="email" required autoComplete="username">
            The address to sign in with.
          </TextField>
          <NameField />
          <NewPasswordField />
        </Form>
      ) : (
        error !== null && (
          <>
            <Failure what="create the first key" error={error} />
            <p className="text-sm text-body">
              You are signed in. <TextLink to="/keys">Create key</TextLink>.
            </p>
          </>
        )
      )}
    </AccountForm>
  );
}

function Ready({ begun: { keyName, key, login } }: { readonly begun: Begun }) {
  return (
    <AccountForm title="Weir is set up" isWide>
      <Secret label={`Your API key ${keyName}`} text={key} />
      {login !== undefined && (
        <>
          <h2 className="text-base font-semibold text-ink">Produce the first record</h2>
          <WaysToConnect {...login} />
        </>
      )}
      <TextLink to="/clusters">Go to clusters</TextLink>
    </AccountForm>
  );
}
