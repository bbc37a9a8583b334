import { useState } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { formatCount } from '../../../format/format.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Field, TextControl } from '../../../ui/field.tsx';
import { say } from '../../../ui/toasts.tsx';

interface DeleteRecordsProps {
  readonly clusterId: string;
  readonly topic: string;
  readonly onClose: () => void;
}

/** Deletes the first records of one partition, which cannot be undone. */
export function DeleteRecords({ clusterId, topic, onClose }: DeleteRecordsProps) {
  const deletion = useAction('delete_records');
  const [partition, setPartition] = useState('0');
  const [offset, setOffset] = useState('');
  const isPartition = /^\d{1,6}$/.test(partition);
  const isOffset = /^\d{0,15}$/.test(offset);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete records of ${topic}?`}
      button="Delete records"
      nameToType={topic}
      action={deletion}
      onConfirm={() => {
        if (!isPartition || !isOffset) return;
        deletion.mutate(
          {
            virtual_cluster_id: clusterId,
            topic_name: topic,
            partitions: [
              { partition: Number(partition), before_offset: offset === '' ? null : Number(offset) },
            ],
          },
          {
            onSuccess: ({ partitions: [after] }) => {
              say(
                `Deleted records of ${topic} partition ${partition} before offset ${formatCount(after!.start_offset)}`,
              );
              onClose();
            },
          },
        );
      }}
    >
      <p>This deletes all records before the offset for all clients, at once. It cannot be undone.</p>
      <Field
        label="Partition"
        name="partition"
        problem={isPartition ? undefined : 'is not a partition of the topic'}
      >
        <TextControl
          inputMode="numeric"
          value={partition}
          onChange={(event) => setPartition(event.target.value)}
        />
      </Field>
      <Field
        label="First offset to keep"
        name="before_offset"
        help="Empty to delete all records of the partition."
        problem={isOffset ? undefined : 'is not an offset'}
      >
        <TextControl inputMode="numeric" value={offset} onChange={(event) => setOffset(event.target.value)} />
      </Field>
    </ConfirmDialog>
  );
}
