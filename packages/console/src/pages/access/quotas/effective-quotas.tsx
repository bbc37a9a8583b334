import { clientQuotas } from '@weir/core';
import { useState } from 'react';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { textOf } from '../../../ui/form.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer } from '../../../ui/states.tsx';
import { entityText, quotaText } from './quota-text.ts';

interface Client {
  readonly user: string;
  readonly client_id: string;
  readonly ip: string;
}

/** Which of the quotas apply to a client, and whose they are. */
export function EffectiveQuotas() {
  const [client, setClient] = useState<Client>();
  return (
    <Card title="Which quotas apply">
      <form
        className="flex flex-wrap items-end gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          setClient({
            user: textOf(fields, 'user'),
            client_id: textOf(fields, 'client_id'),
            ip: textOf(fields, 'ip'),
          });
        }}
      >
        <TextField label="User of the client" name="user" maxLength={1024} spellCheck={false} />
        <TextField label="Its client id" name="client_id" maxLength={1024} spellCheck={false} />
        <TextField label="Its IP address" name="ip" maxLength={64} spellCheck={false} />
        <Button type="submit">Show quotas</Button>
      </form>
      {client !== undefined && <QuotasOfClient client={client} />}
    </Card>
  );
}

function QuotasOfClient({ client }: { readonly client: Client }) {
  const found = useClusterOperation('describe_effective_client_quotas', client);
  return (
    <Answer of={found} what="find the quotas of the client" rows={2}>
      {({ quotas }) =>
        quotas.length === 0 ? (
          <p className="px-4 pb-4 text-sm text-muted">No quota applies: the client is unlimited.</p>
        ) : (
          <ul aria-label="Quotas that apply" className="flex flex-col gap-1 px-4 pb-4 text-sm">
            {quotas.map(({ quota, value, entity }) => (
              <li key={quota} className="break-words">
                <span className="text-ink">
                  {clientQuotas[quota].title}: {quotaText(quota, value)}
                </span>{' '}
                <span className="text-muted">by the quota of {entityText(entity)}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  );
}
