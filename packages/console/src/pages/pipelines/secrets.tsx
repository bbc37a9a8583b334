import { PlusIcon, SyncIcon, TrashIcon } from '@primer/octicons-react';
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
import { Card } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type Secret = OutputOf<'list_secrets'>['secrets'][number];
type Asked = { readonly what: 'create' } | { readonly what: 'rotate' | 'delete'; readonly secret: Secret };

/** The named secrets of a cluster, without their values. */
export function Secrets() {
  const clusterId = useClusterId();
  const secrets = useClusterOperation('list_secrets', {});
  const [asked, setAsked] = useState<Asked>();
  const onClose = () => setAsked(undefined);
  return (
    <section aria-label="Secrets" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <div>
          <h2 className="font-semibold text-ink">Secrets</h2>
          <p className="text-sm text-muted">
            Configurations refer to a secret by its name. Agents receive its value with the job that needs it;
            it is never shown.
          </p>
        </div>
        <ChangeButton icon={PlusIcon} onClick={() => setAsked({ what: 'create' })}>
          New secret
        </ChangeButton>
      </div>
      <Card>
        <Answer of={secrets} what="list the secrets">
          {({ secrets: all }) =>
            all.length === 0 ? (
              <Empty title="No secrets yet">
                Store passwords and tokens for configurations here. They are encrypted.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {all.map((secret) => (
                  <SecretRow key={secret.id} secret={secret} onAsk={(what) => setAsked({ what, secret })} />
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
      {asked?.what === 'create' && <CreateSecret onClose={onClose} />}
      {asked?.what === 'rotate' && <RotateSecret secret={asked.secret} onClose={onClose} />}
      {asked?.what === 'delete' && (
        <DeletionDialog
          operation="delete_secret"
          input={{ virtual_cluster_id: clusterId, secret_name: asked.secret.name }}
          what={`the secret ${asked.secret.name}`}
          name={asked.secret.name}
          isInUse={false}
          onClose={onClose}
        >
          <p>It cannot be restored. Older versions of pipelines that refer to it cannot be deployed again.</p>
        </DeletionDialog>
      )}
    </section>
  );
}

interface SecretRowProps {
  readonly secret: Secret;
  readonly onAsk: (what: 'rotate' | 'delete') => void;
}

function SecretRow({ secret, onAsk }: SecretRowProps) {
  const { name, version, updated_at, updated_by, allows_exporters, used_by } = secret;
  return (
    <li className="flex items-start gap-3 px-4 py-3 text-sm">
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words text-ink">
          {name} <span className="font-normal text-muted">version {version}</span>
        </p>
        <p className="text-xs break-words text-muted">
          <CopyableId text={`\${secret:${name}}`} what="the reference" /> · set <Time of={updated_at} isAgo />{' '}
          by <bdi>{visibleText(updated_by)}</bdi>
          {allows_exporters && ' · exporters may use it'}
        </p>
        <p className="text-xs break-words text-muted">
          {used_by.length === 0 ? (
            'No pipeline refers to it'
          ) : (
            <>
              Used by <bdi>{visibleText(used_by.join(', '))}</bdi>
            </>
          )}
        </p>
      </div>
      <ChangeIconButton icon={SyncIcon} label={`Rotate ${name}`} onClick={() => onAsk('rotate')} />
      <ChangeIconButton icon={TrashIcon} label={`Delete ${name}`} onClick={() => onAsk('delete')} />
    </li>
  );
}

/** As it was typed: blanks at its ends count. */
const valueIn = (fields: FormData) => String(fields.get('secret') ?? '');

function ValueField() {
  return (
    <TextField label="Value" name="secret" type="password" required>
      It is never shown again. Use weir secret for values with several lines.
    </TextField>
  );
}

function CreateSecret({ onClose }: { readonly onClose: () => void }) {
  const create = useClusterFormAction('create_secret', onClose);
  return (
    <FormDialog
      title="New secret"
      what="create the secret"
      button="Create the secret"
      action={create}
      onClose={onClose}
      onSubmit={(fields) => {
        const name = textOf(fields, 'name');
        create.run(
          {
            secret_name: name,
            secret: valueIn(fields),
            allows_exporters: fields.get('allows_exporters') !== null,
          },
          `Created ${name}`,
        );
      }}
    >
      <TextField label="Name" name="name" required autoFocus maxLength={64}>
        A letter, then letters, digits, dots, underscores and hyphens.
      </TextField>
      <ValueField />
      <Checkbox
        name="allows_exporters"
        label="Exporters of the schema registry may name it, and send it where they copy to"
      />
    </FormDialog>
  );
}

function RotateSecret({ secret, onClose }: { readonly onClose: () => void } & { readonly secret: Secret }) {
  const update = useClusterFormAction('update_secret', onClose);
  const { name } = secret;
  return (
    <FormDialog
      title={`Rotate ${name}`}
      description="Jobs that run with the old value start again with the new one within seconds."
      what="rotate the secret"
      button="Set the new value"
      action={update}
      onClose={onClose}
      onSubmit={(fields) =>
        update.run(
          { secret_name: name, secret: valueIn(fields) },
          ({ version }) => `${name} has version ${version}`,
        )
      }
    >
      <ValueField />
    </FormDialog>
  );
}
