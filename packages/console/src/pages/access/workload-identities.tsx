import { PlusIcon, TrashIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton, ChangeIconButton } from '../../session/change-button.tsx';
import { useClusterFormAction } from '../../ui/actions.ts';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Checkbox, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { AccessTabs } from './access-tabs.tsx';

type Federation = OutputOf<'list_workload_identity_federations'>['workload_identity_federations'][number];

/** Agents that log in with tokens of their platform instead of keys. */
export function WorkloadIdentities() {
  const clusterId = useClusterId();
  const federations = useClusterOperation('list_workload_identity_federations', {});
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Federation>();
  return (
    <Page
      title="Access"
      tabTitle="Workload identities"
      facts="Agents authenticate with tokens of their platform, such as Kubernetes, instead of agent keys."
      actions={
        <ChangeButton kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create federation
        </ChangeButton>
      }
    >
      <AccessTabs />
      <Card>
        <Answer of={federations} what="list the federations">
          {({ workload_identity_federations: rows }) =>
            rows.length === 0 ? (
              <Empty title="No federations yet">
                A federation names a token issuer and the claims that a token must have, so that agents need
                no secret. Create one to connect agents without keys.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {rows.map((row) => (
                  <FederationRow key={row.id} of={row} onDelete={() => setDeleted(row)} />
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
      {isCreating && <CreateFederation onClose={() => setCreating(false)} />}
      {deleted !== undefined && (
        <DeletionDialog
          operation="delete_workload_identity_federation"
          input={{ virtual_cluster_id: clusterId, id: deleted.id }}
          what={`federation ${deleted.name}`}
          name={deleted.name}
          isInUse
          onClose={() => setDeleted(undefined)}
        >
          <p>
            Agents that authenticate with it are refused within seconds. You can create it again with the same
            fields.
          </p>
        </DeletionDialog>
      )}
    </Page>
  );
}

function FederationRow({ of: row, onDelete }: { readonly of: Federation; readonly onDelete: () => void }) {
  return (
    <li className="flex items-start gap-3 px-4 py-3 text-sm">
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words text-ink">
          {row.name} {row.read_only && <span className="font-normal text-muted">read only</span>}
        </p>
        <p className="break-all text-body">{visibleText(row.issuer_url)}</p>
        <p className="text-xs break-words text-muted">
          {row.claim_match_rules
            .map(({ claim_path, expected_value }) => visibleText(`${claim_path} = ${expected_value}`))
            .join(' and ')}
        </p>
        <p className="text-xs text-muted">
          Audience of its tokens: <CopyableId text={row.audience} what="the audience" />
        </p>
      </div>
      {row.source === 'file' ? (
        <span className="text-xs text-muted">from the operator's file</span>
      ) : (
        <ChangeIconButton icon={TrashIcon} label={`Delete ${row.name}`} onClick={onDelete} />
      )}
    </li>
  );
}

function CreateFederation({ onClose }: { readonly onClose: () => void }) {
  const create = useClusterFormAction('create_workload_identity_federation', onClose);
  return (
    <FormDialog
      title="Create federation"
      action={create}
      onClose={onClose}
      onSubmit={(fields) => {
        const name = textOf(fields, 'name');
        create.run(
          {
            name,
            issuer_url: textOf(fields, 'issuer'),
            claim_match_rules: [
              { claim_path: textOf(fields, 'claim'), expected_value: textOf(fields, 'value') },
            ],
            read_only: fields.get('read_only') !== null,
          },
          `Created ${name}`,
        );
      }}
    >
      <TextField label="Name" name="name" required autoFocus maxLength={128} />
      <TextField label="Issuer" name="issuer" required placeholder="https://issuer.example">
        The iss claim of its tokens; begins with https://.
      </TextField>
      <TextField label="Claim" name="claim" required defaultValue="sub">
        Path of names separated by dots.
      </TextField>
      <TextField label="Expected value" name="value" required placeholder="system:serviceaccount:weir:*">
        A * at the end matches any suffix.
      </TextField>
      <Checkbox name="read_only" label="Read only: its tokens cannot connect agents" />
    </FormDialog>
  );
}
