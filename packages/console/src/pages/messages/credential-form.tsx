import { ApiError } from '@weir/api/client';
import { useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { CreateCredentialDialog } from '../access/create-credential-dialog.tsx';
import { setCredential } from './state/kafka-credential.ts';

const credentialCodes: readonly string[] = [
  'kafka_credential_required',
  'invalid_kafka_credential',
  'kafka_access_denied',
];

/** Whether another Kafka credential may help. */
export function isAboutCredential(error: unknown): boolean {
  return error instanceof ApiError && credentialCodes.includes(error.code);
}

interface CredentialFormProps {
  readonly act: 'read' | 'produce';
  readonly user: string | undefined;
  /** Why one is needed: a sentence, or what a call failed with. */
  readonly reason: unknown;
}

/** Asks for the Kafka credential as which records are read or written, or makes one. */
export function CredentialForm({ act, user, reason }: CredentialFormProps) {
  const clusterId = useClusterId();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <form
        className="m-4 flex flex-col gap-3 rounded-md border border-line-strong bg-surface p-4 sm:max-w-xl"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const username = String(fields.get('username') ?? '').trim();
          const password = String(fields.get('password') ?? '');
          if (username !== '' && password !== '')
            setCredential(clusterId, { kafka_user_name: username, kafka_password: password });
        }}
      >
        <div>
          <h2 className="text-base font-medium text-ink">
            {act === 'read' ? 'Read with a Kafka login' : 'Produce with a Kafka login'}
          </h2>
          <p role="alert" className="text-sm text-body">
            {reason instanceof Error ? reason.message : typeof reason === 'string' ? `${reason}.` : ''}
          </p>
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="User name" name="username" defaultValue={user ?? ''} required />
          <TextField label="Password" name="password" type="password" required />
        </div>
        <p className="text-xs text-muted">
          Its ACLs apply. The page remembers it until you sign out, reload or close the tab; it is not stored.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit">
            Use login
          </Button>
          <ChangeButton onClick={() => setCreating(true)}>Create login</ChangeButton>
        </div>
      </form>
      {isCreating && (
        <CreateCredentialDialog
          onClose={(made) => {
            setCreating(false);
            if (made !== undefined)
              setCredential(clusterId, { kafka_user_name: made.username, kafka_password: made.password });
          }}
        />
      )}
    </>
  );
}
