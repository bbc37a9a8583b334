import { ApiError, type OutputOf } from '@weir/api/client';
import { clusterNamePattern, clusterNameRule } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { Answer, Empty, Failure } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { clusterTypeTitles } from './cluster-types.ts';

type Deleted = OutputOf<'list_recently_deleted_virtual_clusters'>['virtual_clusters'][number];

const shownMax = 200;

/** Clusters that were deleted and can be restored. */
export function DeletedClusters({ onClose }: { readonly onClose: () => void }) {
  const listed = useOperation('list_recently_deleted_virtual_clusters', {});
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title="Recently deleted clusters"
      description="You can restore a cluster with its topics, records, credentials and settings until the time shown."
    >
      <Answer of={listed} what="list the deleted clusters">
        {({ virtual_clusters: deleted }) =>
          deleted.length === 0 ? (
            <Empty title="No deleted clusters">
              Deleted clusters stay here until they can no longer be restored.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {deleted.slice(0, shownMax).map((cluster) => (
                <li key={cluster.id} className="py-2">
                  <DeletedCluster cluster={cluster} />
                </li>
              ))}
              {deleted.length > shownMax && (
                <li className="py-2 text-sm text-muted">and {deleted.length - shownMax} older ones</li>
              )}
            </ul>
          )
        }
      </Answer>
    </Dialog>
  );
}

function DeletedCluster({ cluster }: { readonly cluster: Deleted }) {
  const { data: context } = useContextOfCaller();
  const workspace = context?.workspaces.find(({ id }) => id === cluster.workspace_id);
  const restore = useAction('restore_virtual_cluster');
  const label = clusterLabel(cluster);
  const [isNameTaken, setNameTaken] = useState(false);
  const [name, setName] = useState(`${label}_restored`.slice(0, 128));
  const problem = name === '' || clusterNamePattern.test(name) ? undefined : clusterNameRule;
  const mayNot = workspace !== undefined && workspace.grant !== 'admin';
  const restoreAs = (newName?: string) =>
    restore.mutate(
      {
        virtual_cluster_id: cluster.id,
        ...(newName === undefined ? {} : { new_virtual_cluster_name: newName }),
      },
      {
        onSuccess: () => say(`Restored ${newName ?? label}`),
        onError: (error) =>
          setNameTaken((now) => now || (error instanceof ApiError && error.code === 'duplicate_name')),
      },
    );
  return (
    <>
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="font-medium break-words text-ink">{label}</p>
          <p className="text-xs text-muted">
            {clusterTypeTitles[cluster.type]}
            {workspace !== undefined && ` · ${workspace.name}`} · deleted{' '}
            <Time of={cluster.deleted_at} isAgo /> · until <Time of={cluster.restorable_until} />
          </p>
          {mayNot && (
            <p className="text-xs text-muted">
              To restore it you need the admin role in workspace {workspace.name}.
            </p>
          )}
        </div>
        {!isNameTaken && (
          <Button
            disabled={restore.isPending || mayNot}
            aria-label={`Restore ${label}`}
            onClick={() => restoreAs()}
          >
            Restore
          </Button>
        )}
      </div>
      {isNameTaken ? (
        <Form
          what={`restore ${label}`}
          button="Restore with this name"
          action={restore}
          onSubmit={() => name !== '' && problem === undefined && restoreAs(name)}
        >
          <TextField
            label="New name"
            name="name"
            problem={problem}
            spellCheck={false}
            value={name}
            onText={setName}
          />
        </Form>
      ) : (
        restore.error !== null && <Failure what={`restore ${label}`} error={restore.error} />
      )}
    </>
  );
}
