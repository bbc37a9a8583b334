import { systemClock } from '@weir/core';
import { SelectField, TextField } from './fields.tsx';
import { FormDialog, textOf } from './form.tsx';

interface MuteDialogProps {
  /** What is muted: `diagnostic`. */
  readonly what: string;
  readonly description: string;
  readonly action: { readonly isPending: boolean; readonly error: unknown };
  readonly isOpen: boolean;
  readonly onMute: (mute: { readonly until?: string; readonly reason?: string }) => void;
  readonly onClose: () => void;
}

const hourMs = 3_600_000;
const ends: readonly (readonly [label: string, ms: number | undefined])[] = [
  ['In 1 hour', hourMs],
  ['Tomorrow', 24 * hourMs],
  ['In 1 week', 7 * 24 * hourMs],
  ['Until unmuted', undefined],
];

/** What is muted is easily forgotten, so that it gets an end and a reason. */
export function MuteDialog({ what, onMute, ...dialog }: MuteDialogProps) {
  return (
    <FormDialog
      {...dialog}
      title={`Mute ${what}`}
      what={`mute the ${what}`}
      button="Mute"
      onSubmit={(fields) => {
        const [, ms] = ends[Number(fields.get('end'))]!;
        const reason = textOf(fields, 'reason');
        const until = ms === undefined ? {} : { until: new Date(systemClock.nowMs() + ms).toISOString() };
        onMute({ ...until, ...(reason === '' ? {} : { reason }) });
      }}
    >
      <SelectField
        label="Unmute"
        name="end"
        defaultValue="1"
        options={ends.map(([label], index) => [String(index), label])}
      />
      <TextField label="Reason" name="reason" maxLength={1024}>
        Shown with the {what}.
      </TextField>
    </FormDialog>
  );
}
