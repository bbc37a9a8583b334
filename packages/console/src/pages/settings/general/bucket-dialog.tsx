import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, problemOf } from '../../../api/client.ts';
import { useClusterId } from '../../../api/use-cluster.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { Status } from '../../../ui/status.tsx';
import { say } from '../../../ui/toasts.tsx';
import { useDebounced } from '../../../ui/use-debounced.ts';

interface BucketDialogProps {
  /** `null` for the one that agents were started with. */
  readonly bucketUrl: string | null;
  readonly onClose: () => void;
}

const settledMs = 300;

/** Names the bucket for new files. The service checks the URL while it is typed. */
export function BucketDialog({ bucketUrl, onClose }: BucketDialogProps) {
  const clusterId = useClusterId();
  const update = useAction('update_virtual_cluster_configuration');
  const [typed, setTyped] = useState(bucketUrl ?? '');
  const settled = useDebounced(typed.trim(), settledMs);
  const inputFor = (bucket_url: string | null) => ({
    virtual_cluster_id: clusterId,
    virtual_cluster_configuration: { bucket_url },
  });
  const isChanged = settled !== '' && settled !== bucketUrl;
  const check = useQuery({
    queryKey: ['check bucket_url', clusterId, settled],
    queryFn: () =>
      call('update_virtual_cluster_configuration', { ...inputFor(settled), validate_only: true }),
    enabled: isChanged,
    retry: false,
  });
  const save = (url: string | null) =>
    update.mutate(inputFor(url), {
      onSuccess: ({ bucket_status: status }) => {
        const isRefused = status?.state === 'refused';
        const others = url === null ? 'the bucket of their -bucketURL' : 'the new bucket';
        if (isRefused) say(`Pending: agents refuse ${others}; see the Bucket setting for which and why`);
        else if (status?.state === 'pending')
          say(`Pending: not all agents have reported that they use ${others}`);
        else say(`Agents use ${others}`);
        onClose();
      },
    });
  const isChecked = isChanged && settled === typed.trim() && check.isSuccess;
  return (
    <FormDialog
      title="Change bucket"
      isSheet
      action={{ isPending: update.isPending || !isChecked, error: update.error }}
      onClose={onClose}
      onSubmit={() => isChecked && save(settled)}
    >
      <div className="flex flex-col gap-2 text-sm text-body">
        <p>
          Running agents write new files to the new bucket within seconds. Existing files stay in the old
          bucket and are read, merged and deleted there, so keep it reachable. No records are copied, and
          clients are not affected.
        </p>
        <p>
          All agents need credentials for the new bucket. It must be on the same server or be listed in their
          -allowedBucketURLs. An agent that cannot use it keeps writing to the old bucket, and a diagnostic
          reports it.
        </p>
      </div>
      <TextField
        label="Bucket URL"
        name="bucket"
        problem={isChanged && check.isError ? problemOf(check.error).message : undefined}
        autoFocus
        className="font-mono"
        spellCheck={false}
        value={typed}
        onText={setTyped}
      >
        Such as s3://orders-eu?region=eu-central-1. Do not put secrets into it.
      </TextField>
      {isChecked && <Status kind="ok">Valid URL</Status>}
      {bucketUrl !== null && (
        <div>
          <Button disabled={update.isPending} onClick={() => save(null)}>
            Use the -bucketURL of the agents
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
