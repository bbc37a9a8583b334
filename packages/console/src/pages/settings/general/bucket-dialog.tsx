import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, problemOf } from '../../../api/client.ts';
import { useAction } from '../../../api/use-operation.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextControl } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Status } from '../../../ui/status.tsx';
import { say } from '../../../ui/toasts.tsx';
import { useDebounced } from '../../../ui/use-debounced.ts';

interface BucketDialogProps {
  readonly clusterId: string;
  /** `null` for the one that agents were started with. */
  readonly bucketUrl: string | null;
  readonly onClose: () => void;
}

const settledMs = 300;

/** Names the bucket for new files. The service checks the URL while it is typed. */
export function BucketDialog({ clusterId, bucketUrl, onClose }: BucketDialogProps) {
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
        const others = url === null ? 'the bucket that they were started with' : 'the new bucket';
        if (isRefused) say(`Pending: agents refuse ${others}; the page says which and why`);
        else if (status?.state === 'pending')
          say(`Pending: not all agents have reported that they use ${others}`);
        else say(`Agents use ${others}`);
        onClose();
      },
    });
  const isChecked = isChanged && settled === typed.trim() && check.isSuccess;
  return (
    <Dialog isOpen onClose={onClose} title="Change the bucket" isSheet>
      <Form
        what="change the bucket"
        button="Change the bucket"
        action={{ isPending: update.isPending || !isChecked, error: update.error }}
        onCancel={onClose}
        onSubmit={() => isChecked && save(settled)}
      >
        <div className="flex flex-col gap-2 text-sm text-body">
          <p>
            Running agents write new files there within seconds. Files that exist stay where they are and are
            read, merged and deleted there, so that the bucket before has to stay reachable. No record is
            copied, and no client notices.
          </p>
          <p>
            All agents need credentials for the new bucket. It is another bucket of the same server, or one
            that their -allowedBucketURLs lists; an agent that cannot use it goes on with the bucket before,
            and a diagnostic says so.
          </p>
        </div>
        <Field
          label="URL of the bucket"
          name="bucket"
          help="Such as s3://orders-eu?region=eu-central-1. Never with a secret in it."
          problem={isChanged && check.isError ? problemOf(check.error).message : undefined}
        >
          <TextControl
            autoFocus
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        {isChecked && <Status kind="ok">The URL is well formed</Status>}
        {bucketUrl !== null && (
          <div>
            <Button disabled={update.isPending} onClick={() => save(null)}>
              Use the bucket that agents were started with
            </Button>
          </div>
        )}
      </Form>
    </Dialog>
  );
}
