import { useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { WaysToConnect } from './ways-to-connect.tsx';

interface CreateCredentialProps {
  readonly clusterId: string;
  readonly onClose: () => void;
}

/** Makes a credential, and shows its password this once with ways to connect. */
export function CreateCredentialDialog({ clusterId, onClose }: CreateCredentialProps) {
  const create = useAction('create_virtual_cluster_credentials');
  const [name, setName] = useState('');
  if (create.data !== undefined) {
    const { username, password } = create.data;
    return (
      <ShownOnce onClose={onClose} title={`Credential ${name} created`} isSheet>
        <Secret label={`Password of ${username}`} text={password} />
        <WaysToConnect clusterId={clusterId} username={username} password={password} />
      </ShownOnce>
    );
  }
  return (
    <Dialog isOpen onClose={onClose} title="Create credential">
      <Form
        what="create the credential"
        button="Create credential"
        action={create}
        onCancel={onClose}
        onSubmit={(fields) => {
          setName(textOf(fields, 'name'));
          create.mutate({
            virtual_cluster_id: clusterId,
            credentials_name: textOf(fields, 'name'),
            is_cluster_superuser: fields.get('superuser') !== null,
          });
        }}
      >
        <Field
          label="Name"
          name="name"
          help="Up to 128 letters, digits, dots, underscores and hyphens. Its principal in ACLs is User:ccn_NAME."
        >
          <TextControl required autoFocus autoComplete="off" maxLength={132} />
        </Field>
        <Checkbox
          name="superuser"
          label="Superuser"
          help="ACLs do not apply to it. For operators, not for applications."
        />
      </Form>
    </Dialog>
  );
}
