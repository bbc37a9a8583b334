import { useState } from 'react';
import { formatCount } from '../../../format/format.ts';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';

interface DeleteRecordsProps {
  readonly topic: string;
  readonly onClose: () => void;
}

/** Deletes the first records of one partition, which cannot be undone. */
export function DeleteRecords({ topic, onClose }: DeleteRecordsProps) {
  const deletion = useClusterFormAction('delete_records', onClose);
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
        deletion.run(
          {
            topic_name: topic,
            partitions: [
              { partition: Number(partition), before_offset: offset === '' ? null : Number(offset) },
            ],
          },
          ({ partitions: [after] }) =>
            `Deleted records of ${topic} partition ${partition} before offset ${formatCount(after!.start_offset)}`,
        );
      }}
    >
      <p>This deletes all records before the offset for all clients, at once. It cannot be undone.</p>
      <TextField
        label="Partition"
        name="partition"
        problem={isPartition ? undefined : 'is not a partition of the topic'}
        inputMode="numeric"
        value={partition}
        onText={setPartition}
      />
      <TextField
        label="First offset to keep"
        name="before_offset"
        problem={isOffset ? undefined : 'is not an offset'}
        inputMode="numeric"
        value={offset}
        onText={setOffset}
      >
        Empty to delete all records of the partition.
      </TextField>
    </ConfirmDialog>
  );
}
