import { PlusIcon, SyncIcon, TrashIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

type Secret = OutputOf<'list_secrets'>['secrets'][number];
type Asked = { readonly what: 'create' } | { readonly what: 'rotate' | 'delete'; readonly secret: Secret };

/** The named secrets of a cluster, without their values. */
export function Secrets({ clusterId }: { readonly clusterId: string }) {
  const secrets = useOperation('list_secrets', { virtual_cluster_id: clusterId });
  const [asked, setAsked] = useState<Asked>();
  const onClose = () => setAsked(undefined);
  return (
    <section aria-label="Secrets" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <div>
          <h2 className="font-semibold text-ink">Secrets</h2>
          <p className="text-sm text-muted">
            Configurations refer to a secret by its name. Agents get its value with the job that needs it, and
            it is never shown.
          </p>
        </div>
        <Button onClick={() => setAsked({ what: 'create' })}>
          <PlusIcon aria-hidden="true" /> New secret
        </Button>
      </div>
      <Card>
        <Answer of={secrets} what="list the secrets">
          {({ secrets: all }) =>
            all.length === 0 ? (
              <Empty title="No secrets yet">
                A password or a token that a configuration needs is kept here, sealed.
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
      {asked?.what === 'create' && <CreateSecret clusterId={clusterId} onClose={onClose} />}
      {asked?.what === 'rotate' && (
        <RotateSecret clusterId={clusterId} secret={asked.secret} onClose={onClose} />
      )}
      {asked?.what === 'delete' && (
        <DeleteSecret clusterId={clusterId} secret={asked.secret} onClose={onClose} />
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
          {allows_exporters && ' · exporters may name it'}
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
      <Button kind="quiet" isIcon aria-label={`Rotate ${name}`} onClick={() => onAsk('rotate')}>
        <SyncIcon aria-hidden="true" />
      </Button>
      <Button kind="quiet" isIcon aria-label={`Delete ${name}`} onClick={() => onAsk('delete')}>
        <TrashIcon aria-hidden="true" />
      </Button>
    </li>
  );
}

interface OfCluster {
  readonly clusterId: string;
  readonly onClose: () => void;
}

/** As it was typed: blanks at its ends count. */
const valueIn = (fields: FormData) => String(fields.get('secret') ?? '');

function ValueField() {
  return (
    <Field
      label="Value"
      name="secret"
      help="It cannot be read back. One with several lines is set by weir secret."
    >
      <TextControl type="password" required autoComplete="off" />
    </Field>
  );
}

function CreateSecret({ clusterId, onClose }: OfCluster) {
  const create = useAction('create_secret');
  return (
    <Dialog isOpen onClose={onClose} title="New secret">
      <Form
        what="create the secret"
        button="Create the secret"
        action={create}
        onCancel={onClose}
        onSubmit={(fields) => {
          const name = textOf(fields, 'name');
          create.mutate(
            {
              virtual_cluster_id: clusterId,
              secret_name: name,
              secret: valueIn(fields),
              allows_exporters: fields.get('allows_exporters') !== null,
            },
            {
              onSuccess: () => {
                say(`Created ${name}`);
                onClose();
              },
            },
          );
        }}
      >
        <Field label="Name" name="name" help="A letter, then letters, digits, dots, underscores and hyphens.">
          <TextControl required autoFocus autoComplete="off" maxLength={64} />
        </Field>
        <ValueField />
        <Checkbox
          name="allows_exporters"
          label="Exporters of the schema registry may name it, and send it where they copy to"
        />
      </Form>
    </Dialog>
  );
}

function RotateSecret({ clusterId, secret, onClose }: OfCluster & { readonly secret: Secret }) {
  const update = useAction('update_secret');
  const { name } = secret;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Rotate ${name}`}
      description="Jobs that run with the old value start again with the new one within seconds."
    >
      <Form
        what="rotate the secret"
        button="Set the new value"
        action={update}
        onCancel={onClose}
        onSubmit={(fields) =>
          update.mutate(
            { virtual_cluster_id: clusterId, secret_name: name, secret: valueIn(fields) },
            {
              onSuccess: ({ version }) => {
                say(`${name} has version ${version}`);
                onClose();
              },
            },
          )
        }
      >
        <ValueField />
      </Form>
    </Dialog>
  );
}

function DeleteSecret({ clusterId, secret, onClose }: OfCluster & { readonly secret: Secret }) {
  const remove = useAction('delete_secret');
  const { name } = secret;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete the secret ${name}`}
      button={`Delete ${name}`}
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { virtual_cluster_id: clusterId, secret_name: name },
          {
            onSuccess: () => {
              say(`Deleted ${name}`);
              onClose();
            },
          },
        )
      }
    >
      <p>It cannot be restored. Older versions of pipelines that refer to it cannot be deployed again.</p>
    </ConfirmDialog>
  );
}
