import { useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Select } from '../../ui/select.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { grantOf, isOfCluster, type KeyKind, keyKinds } from './key-grants.ts';
import { WaysToUseKey } from './ways-to-use-key.tsx';

/** Makes a key, and shows its secret this once with ways to use it. */
export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: context } = useContextOfCaller();
  const create = useAction('create_api_key');
  const [kind, setKind] = useState<KeyKind>('app');
  const workspaces = context?.workspaces ?? [];
  const clusters = workspaces.flatMap(({ virtual_clusters }) => virtual_clusters);

  if (create.data !== undefined)
    return (
      <ShownOnce onClose={onClose} title={`Key ${create.data.name} created`}>
        <Secret label="Key" text={create.data.key} />
        {!isOfCluster(kind) && <WaysToUseKey secret={create.data.key} />}
      </ShownOnce>
    );

  return (
    <Dialog isOpen onClose={onClose} title="Create key">
      <Form
        what="create the key"
        button="Create key"
        action={create}
        onCancel={onClose}
        onSubmit={(fields) =>
          create.mutate({
            name: textOf(fields, 'name'),
            access_grants: [
              grantOf({
                kind,
                workspaceId: textOf(fields, 'workspace'),
                clusterId: textOf(fields, 'cluster'),
              }),
            ],
          })
        }
      >
        <Field
          label="Name"
          name="name"
          help="Up to 128 letters, digits and underscores; akn_ is prepended. Name it after the program that uses it."
        >
          <TextControl required autoFocus autoComplete="off" maxLength={132} />
        </Field>
        <Field label="Access" name="kind" help={keyKinds.find(([known]) => known === kind)![2]}>
          <Select
            aria-label="Access"
            value={kind}
            onChange={(event) => setKind(event.target.value as KeyKind)}
            options={keyKinds.map(([value, label]) => [value, label])}
          />
        </Field>
        {isOfCluster(kind) ? (
          <Field label="Cluster" name="cluster">
            <Select
              name="cluster"
              aria-label="Cluster"
              options={clusters.map((cluster) => [cluster.id, clusterLabel(cluster)])}
            />
          </Field>
        ) : (
          kind !== '*' && (
            <Field label="Workspace" name="workspace">
              <Select
                name="workspace"
                aria-label="Workspace"
                options={workspaces.map(({ id, name }) => [id, name])}
              />
            </Field>
          )
        )}
      </Form>
    </Dialog>
  );
}
