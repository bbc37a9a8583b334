import { useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { Checkbox, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { WaysToConnect } from './connect/ways-to-connect.tsx';

interface CreateCredentialProps {
  /** Gets the credential, if one was made. */
  readonly onClose: (made?: { readonly username: string; readonly password: string }) => void;
}

/** Makes a credential, and shows its password this once with ways to connect. */
export function CreateCredentialDialog({ onClose }: CreateCredentialProps) {
  const clusterId = useClusterId();
  const create = useAction('create_virtual_cluster_credentials');
  const [name, setName] = useState('');
  if (create.data !== undefined) {
    const { username, password } = create.data;
    return (
      <ShownOnce onClose={() => onClose({ username, password })} title={`Credential ${name} created`} isSheet>
        <Secret label={`Password of ${username}`} text={password} />
        <WaysToConnect clusterId={clusterId} username={username} password={password} />
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Create credential"
      action={create}
      onClose={() => onClose()}
      onSubmit={(fields) => {
        setName(textOf(fields, 'name'));
        create.mutate({
          virtual_cluster_id: clusterId,
          credentials_name: textOf(fields, 'name'),
          is_cluster_superuser: fields.get('superuser') !== null,
        });
      }}
    >
      <TextField label="Name" name="name" required autoFocus maxLength={132}>
        Up to 128 letters, digits, dots, underscores and hyphens. Its principal in ACLs is User:NAME.
      </TextField>
      <Checkbox
        name="superuser"
        label="Superuser"
        help="ACLs do not apply to it. For operators, not for applications."
      />
    </FormDialog>
  );
}
