import { clusterNamePattern, clusterNameRule } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { clusterLabel } from '../../../format/cluster-label.ts';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form.tsx';

interface RenameDialogProps {
  /** With the prefix of its kind. */
  readonly name: string;
  readonly onClose: () => void;
}

export function RenameDialog({ name, onClose }: RenameDialogProps) {
  const rename = useClusterFormAction('rename_virtual_cluster', onClose);
  const before = clusterLabel({ name });
  const [typed, setTyped] = useState(before);
  const problem = typed === '' || clusterNamePattern.test(typed) ? undefined : clusterNameRule;
  return (
    <FormDialog
      title={`Rename ${before}`}
      what={`rename ${before}`}
      button="Rename"
      action={rename}
      onClose={onClose}
      onSubmit={() => {
        if (typed === '' || problem !== undefined) return;
        rename.run({ new_virtual_cluster_name: typed }, `Renamed ${before} to ${typed}`);
      }}
    >
      <TextField
        label="New name"
        name="name"
        problem={problem}
        autoFocus
        spellCheck={false}
        value={typed}
        onText={setTyped}
      >
        Clients and agents use the id, which stays. Change the name in files for `weir cli apply` too.
      </TextField>
    </FormDialog>
  );
}
