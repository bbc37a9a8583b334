import { clusterTiers } from '@weir/api/cluster-rules';
import { useState } from 'react';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { SelectField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form.tsx';

type Tier = (typeof clusterTiers)[number];

interface TierDialogProps {
  readonly tier: Tier;
  readonly onClose: () => void;
}

export const tierHelp = 'For tools that read it; it has no effect on limits.';

export function TierDialog({ tier, onClose }: TierDialogProps) {
  const update = useClusterFormAction('update_virtual_cluster_tier', onClose);
  const [chosen, setChosen] = useState<Tier>(tier);
  return (
    <FormDialog
      title="Change tier"
      action={{ isPending: update.isPending || chosen === tier, error: update.error }}
      onClose={onClose}
      onSubmit={() => update.run({ tier: chosen }, `Changed the tier to ${chosen}`)}
    >
      <SelectField
        label="Tier"
        name="tier"
        value={chosen}
        onChange={(event) => setChosen(event.target.value as Tier)}
        options={clusterTiers.map((name) => [name, name] as const)}
      >
        {tierHelp}
      </SelectField>
    </FormDialog>
  );
}
