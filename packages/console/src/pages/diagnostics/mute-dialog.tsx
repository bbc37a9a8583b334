import { systemClock } from '@weir/core';
import { useFormAction } from '../../ui/actions.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';

interface MuteDialogProps {
  readonly target: { readonly virtual_cluster_id: string; readonly diagnostic_id: string };
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const hourMs = 3_600_000;
const ends: readonly (readonly [label: string, ms: number | undefined])[] = [
  ['In 1 hour', hourMs],
  ['Tomorrow', 24 * hourMs],
  ['In 1 week', 7 * 24 * hourMs],
  ['Until unmuted', undefined],
];

/** A muted diagnostic is easily forgotten, so that it gets an end and a reason. */
export function MuteDialog({ target, isOpen, onClose }: MuteDialogProps) {
  const mute = useFormAction('mute_diagnostic', onClose);
  return (
    <FormDialog
      isOpen={isOpen}
      title="Mute diagnostic"
      description="The diagnostic still runs but no longer counts as a problem."
      what="mute the diagnostic"
      button="Mute"
      action={mute}
      onClose={onClose}
      onSubmit={(fields) => {
        const [, ms] = ends[Number(fields.get('end'))]!;
        const reason = textOf(fields, 'reason');
        const until = ms === undefined ? {} : { until: new Date(systemClock.nowMs() + ms).toISOString() };
        mute.run({ ...target, ...until, ...(reason === '' ? {} : { reason }) }, 'Muted');
      }}
    >
      <SelectField
        label="Unmute"
        name="end"
        defaultValue="1"
        options={ends.map(([label], index) => [String(index), label])}
      />
      <TextField label="Reason" name="reason" maxLength={1024}>
        Shown with the diagnostic.
      </TextField>
    </FormDialog>
  );
}
