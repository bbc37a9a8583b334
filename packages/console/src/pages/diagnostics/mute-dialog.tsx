import { systemClock } from '@weir/core';
import { type FormEvent, useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useAction } from '../../api/use-operation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { controlClass, Field, TextControl } from '../../ui/field.tsx';
import { say } from '../../ui/toasts.tsx';

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
  const mute = useAction('mute_diagnostic');
  const [problem, setProblem] = useState<string>();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const [, ms] = ends[Number(fields.get('end'))]!;
    const reason = String(fields.get('reason') ?? '');
    mute.mutate(
      {
        ...target,
        ...(ms === undefined ? {} : { until: new Date(systemClock.nowMs() + ms).toISOString() }),
        ...(reason === '' ? {} : { reason }),
      },
      {
        onSuccess: () => {
          say('Muted');
          onClose();
        },
        onError: (error) => setProblem(problemOf(error).message),
      },
    );
  }

  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Mute diagnostic"
      description="The diagnostic still runs but no longer counts as a problem."
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Unmute" name="end">
          <select name="end" className={controlClass} defaultValue="1">
            {ends.map(([label], index) => (
              <option key={label} value={index}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Reason" name="reason" help="Shown with the diagnostic." problem={problem}>
          <TextControl maxLength={1024} />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={mute.isPending}>
            Mute
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
