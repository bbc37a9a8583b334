import { clusterNamePattern, clusterNameRule } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { clusterLabel } from '../../../format/cluster-label.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextControl } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { say } from '../../../ui/toasts.tsx';

interface RenameDialogProps {
  readonly clusterId: string;
  /** With the prefix of its kind. */
  readonly name: string;
  readonly onClose: () => void;
}

export function RenameDialog({ clusterId, name, onClose }: RenameDialogProps) {
  const rename = useAction('rename_virtual_cluster');
  const before = clusterLabel({ name });
  const [typed, setTyped] = useState(before);
  const problem = typed === '' || clusterNamePattern.test(typed) ? undefined : clusterNameRule;
  return (
    <Dialog isOpen onClose={onClose} title={`Rename ${before}`}>
      <Form
        what={`rename ${before}`}
        button="Rename"
        action={rename}
        onCancel={onClose}
        onSubmit={() => {
          if (typed === '' || problem !== undefined) return;
          rename.mutate(
            { virtual_cluster_id: clusterId, new_virtual_cluster_name: typed },
            {
              onSuccess: () => {
                say(`Renamed ${before} to ${typed}`);
                onClose();
              },
            },
          );
        }}
      >
        <Field
          label="New name"
          name="name"
          problem={problem}
          help="Clients and agents use the id, which stays. Change the name in files for `weir cli apply` too."
        >
          <TextControl
            autoFocus
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
      </Form>
    </Dialog>
  );
}
