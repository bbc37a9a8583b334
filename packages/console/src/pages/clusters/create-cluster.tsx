import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallOf, OutputOf } from '@weir/api/client';
import { cloudProviders, clusterNamePattern, clusterNameRule, clusterTiers } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useWorkspace } from '../../session/workspace-choice.ts';
import { Checkbox, SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { ClusterReady } from './cluster-ready.tsx';
import { type Cluster, clusterTypeTitles } from './cluster-types.ts';

type Type = Cluster['type'];
type Input = CallOf<'create_virtual_cluster'>;

const typeHelp: Readonly<Record<Type, string>> = {
  byoc: 'Topics, groups and transactions for Kafka clients.',
  byoc_schema_registry: 'Avro, Protobuf and JSON Schema for the serializers of Kafka clients.',
  byoc_data_lake: 'Pipelines that write topics to Apache Iceberg tables in your bucket.',
};

interface Created {
  readonly cluster: OutputOf<'create_virtual_cluster'>;
  readonly login?: { readonly username: string; readonly password: string };
  /** Why there is no login although one was wanted. The cluster is there all the same. */
  readonly loginError?: unknown;
}

async function create(input: Input, withLogin: boolean): Promise<Created> {
  const cluster = await call('create_virtual_cluster', input);
  if (!withLogin) return { cluster };
  try {
    const { username, password } = await call('create_virtual_cluster_credentials', {
      virtual_cluster_id: cluster.virtual_cluster_id,
      credentials_name: 'first',
      is_cluster_superuser: true,
    });
    return { cluster, login: { username, password } };
  } catch (loginError) {
    return { cluster, loginError };
  }
}

/** Makes a cluster of any kind, and ends with a key for its agents and ways to connect. */
export function CreateCluster({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { data: context } = useContextOfCaller();
  const chosen = useWorkspace(context);
  const workspaces = (context?.workspaces ?? []).filter(({ grant }) => grant === 'admin');
  const [type, setType] = useState<Type>('byoc');
  const [name, setName] = useState('');
  const creation = useMutation({
    mutationFn: ({ input, withLogin }: { readonly input: Input; readonly withLogin: boolean }) =>
      create(input, withLogin),
    onSuccess: () => void queries.invalidateQueries(),
  });
  const nameProblem = name === '' || clusterNamePattern.test(name) ? undefined : clusterNameRule;
  if (creation.data !== undefined) return <ClusterReady {...creation.data} onClose={onClose} />;
  const submit = (fields: FormData) => {
    if (name === '' || nameProblem !== undefined) return;
    const region = textOf(fields, 'region');
    const workspaceId = textOf(fields, 'workspace');
    creation.mutate({
      withLogin: type === 'byoc' && fields.get('login') !== null,
      input: {
        virtual_cluster_name: name,
        virtual_cluster_type: type,
        virtual_cluster_tier: textOf(fields, 'tier') as (typeof clusterTiers)[number],
        virtual_cluster_cloud_provider: textOf(fields, 'cloud') as (typeof cloudProviders)[number],
        ...(region === '' ? {} : { virtual_cluster_region: region }),
        ...(workspaceId === '' ? {} : { workspace_id: workspaceId }),
      },
    });
  };
  return (
    <FormDialog
      title="Create cluster"
      description="The cluster is ready at once and costs nothing until you start an agent."
      isSheet
      action={creation}
      onClose={onClose}
      onSubmit={submit}
    >
      <div className="flex flex-col gap-1">
        <span className="text-sm font-medium text-ink">Type</span>
        <Segmented
          label="Type"
          choices={(Object.keys(clusterTypeTitles) as Type[]).map((one) => ({
            name: one,
            title: clusterTypeTitles[one],
          }))}
          value={type}
          onChange={setType}
        />
        <p className="text-xs text-muted">{typeHelp[type]}</p>
      </div>
      <TextField
        label="Name"
        name="name"
        problem={nameProblem}
        autoFocus
        required
        spellCheck={false}
        value={name}
        onText={setName}
      >
        3 to 128 letters, digits and underscores; unique in the workspace.
      </TextField>
      {workspaces.length > 1 && (
        <SelectField
          label="Workspace"
          name="workspace"
          defaultValue={chosen?.grant === 'admin' ? chosen.id : workspaces[0]!.id}
          options={workspaces.map((workspace) => [workspace.id, workspace.name] as const)}
        />
      )}
      {type === 'byoc' && (
        <Checkbox
          name="login"
          defaultChecked
          label="Create a credential for the first client"
          help="A superuser. Its password is shown once, with commands to connect."
        />
      )}
      <details>
        <summary className="w-fit cursor-pointer text-sm text-muted hover:text-ink">
          Cloud, region and tier
        </summary>
        <div className="mt-3 grid gap-3 sm:grid-cols-3">
          <SelectField label="Cloud" name="cloud" options={cloudProviders.map((one) => [one, one] as const)}>
            Where its agents run.
          </SelectField>
          <TextField label="Region" name="region" spellCheck={false} maxLength={64} placeholder="us-east-1">
            Default: us-east-1.
          </TextField>
          <SelectField
            label="Tier"
            name="tier"
            defaultValue="pro"
            options={clusterTiers.map((one) => [one, one] as const)}
          >
            For tools that read it; it has no effect here.
          </SelectField>
        </div>
      </details>
    </FormDialog>
  );
}
