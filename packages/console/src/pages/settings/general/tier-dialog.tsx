import { clusterTiers } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Select } from '../../../ui/select.tsx';
import { say } from '../../../ui/toasts.tsx';

type Tier = (typeof clusterTiers)[number];

interface TierDialogProps {
  readonly clusterId: string;
  readonly tier: Tier;
  readonly onClose: () => void;
}

export const tierHelp = 'For tools that read it; it has no effect on limits.';

export function TierDialog({ clusterId, tier, onClose }: TierDialogProps) {
  const update = useAction('update_virtual_cluster_tier');
  const [chosen, setChosen] = useState<Tier>(tier);
  return (
    <Dialog isOpen onClose={onClose} title="Change tier">
      <Form
        what="change the tier"
        button="Change tier"
        action={{ isPending: update.isPending || chosen === tier, error: update.error }}
        onCancel={onClose}
        onSubmit={() =>
          update.mutate(
            { virtual_cluster_id: clusterId, tier: chosen },
            {
              onSuccess: () => {
                say(`Changed the tier to ${chosen}`);
                onClose();
              },
            },
          )
        }
      >
        <Field label="Tier" name="tier" help={tierHelp}>
          <Select
            aria-label="Tier"
            value={chosen}
            onChange={(event) => setChosen(event.target.value as Tier)}
            options={clusterTiers.map((name) => [name, name] as const)}
          />
        </Field>
      </Form>
    </Dialog>
  );
}
