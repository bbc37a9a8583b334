import { useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Secret } from '../../ui/secret.tsx';
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
    <FormDialog
      title="Create key"
      action={create}
      onClose={onClose}
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
      <TextField label="Name" name="name" required autoFocus maxLength={132}>
        Up to 128 letters, digits and underscores; akn_ is prepended. Name it after the program that uses it.
      </TextField>
      <SelectField
        label="Access"
        name="kind"
        value={kind}
        onChange={(event) => setKind(event.target.value as KeyKind)}
        options={keyKinds.map(([value, label]) => [value, label])}
      >
        {keyKinds.find(([known]) => known === kind)![2]}
      </SelectField>
      {isOfCluster(kind) ? (
        <SelectField
          label="Cluster"
          name="cluster"
          options={clusters.map((cluster) => [cluster.id, clusterLabel(cluster)])}
        />
      ) : (
        kind !== '*' && (
          <SelectField
            label="Workspace"
            name="workspace"
            options={workspaces.map(({ id, name }) => [id, name])}
          />
        )
      )}
    </FormDialog>
  );
}
