import { clusterNamePattern, clusterNameRule } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { TextField } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { ClusterReady } from './cluster-ready.tsx';
import type { Cluster } from './cluster-types.ts';

interface CloneClusterProps {
  readonly cluster: Cluster;
  readonly onClose: () => void;
}

/** Makes a cluster that begins as another one is now. */
export function CloneCluster({ cluster, onClose }: CloneClusterProps) {
  const clone = useAction('clone_virtual_cluster');
  const label = clusterLabel(cluster);
  const [name, setName] = useState(`${label}_copy`.slice(0, 128));
  const problem = name === '' || clusterNamePattern.test(name) ? undefined : clusterNameRule;
  if (clone.data !== undefined) return <ClusterReady cluster={clone.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Clone ${label}`}
      what={`clone ${label}`}
      button="Clone cluster"
      action={clone}
      onClose={onClose}
      onSubmit={() => {
        if (name === '' || problem !== undefined) return;
        clone.mutate({ virtual_cluster_id: cluster.id, new_virtual_cluster_name: name });
      }}
    >
      <div className="flex flex-col gap-2 text-sm text-body">
        <p>
          The clone gets the current topics, records, committed offsets, ACLs, quotas and configs of {label},
          but no credentials and no agent keys. Later changes to one do not affect the other.
        </p>
        <p>No data is copied: both use the same bucket. {label} cannot be deleted while it has clones.</p>
      </div>
      <TextField
        label="Clone name"
        name="name"
        problem={problem}
        autoFocus
        spellCheck={false}
        value={name}
        onText={setName}
      />
    </FormDialog>
  );
}
