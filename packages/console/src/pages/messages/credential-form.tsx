import { ApiError } from '@weir/api/client';
import { useClusterId } from '../../api/use-cluster.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
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
  readonly user: string | undefined;
  /** Why one is needed. */
  readonly error: unknown;
}

/** Asks for the Kafka credential as which records are read and written. */
export function CredentialForm({ user, error }: CredentialFormProps) {
  const clusterId = useClusterId();
  return (
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
        <h2 className="text-base font-medium text-ink">Read as a Kafka credential</h2>
        <p role="alert" className="text-sm text-body">
          {error instanceof Error ? error.message : ''}
        </p>
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="User name" name="username" defaultValue={user ?? ''} required />
        <TextField label="Password" name="password" type="password" required />
      </div>
      <p className="text-xs text-muted">
        Its ACLs decide what you can read. This page keeps it in memory until you close or reload it; it is
        not stored.
      </p>
      <div>
        <Button kind="primary" type="submit">
          Use credential
        </Button>
      </div>
    </form>
  );
}
