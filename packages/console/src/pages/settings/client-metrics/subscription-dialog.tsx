import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog, textOf } from '../../../ui/form.tsx';

type Subscription = OutputOf<'list_client_metrics_subscriptions'>['subscriptions'][number];

interface SubscriptionDialogProps {
  /** The one to change, or `undefined` for a new one. */
  readonly subscription: Subscription | undefined;
  /** Names that are taken. */
  readonly names: readonly string[];
  readonly onClose: () => void;
}

const namePattern = /^[a-zA-Z0-9._-]{1,249}$/;
const intervalMinMs = 100;
const intervalMaxMs = 3_600_000;
const usualIntervalMs = 300_000;

export function SubscriptionDialog({ subscription, names, onClose }: SubscriptionDialogProps) {
  const update = useClusterFormAction('update_client_metrics_subscriptions', onClose);
  const [name, setName] = useState(subscription?.name ?? '');
  const [interval, setTypedInterval] = useState(String(subscription?.interval_ms ?? usualIntervalMs));
  const nameProblem =
    name === '' || subscription !== undefined
      ? undefined
      : !namePattern.test(name)
        ? 'is not 1 to 249 letters, digits, dots, underscores and hyphens'
        : names.includes(name)
          ? 'is the name of another subscription'
          : undefined;
  const isInterval =
    /^\d{1,7}$/.test(interval) && Number(interval) >= intervalMinMs && Number(interval) <= intervalMaxMs;
  return (
    <FormDialog
      title={subscription === undefined ? 'Create subscription' : `Change ${subscription.name}`}
      button="Save subscription"
      action={update}
      onClose={onClose}
      onSubmit={(fields) => {
        if (name === '' || nameProblem !== undefined || !isInterval) return;
        update.run(
          {
            client_metrics_subscriptions: [
              {
                name,
                interval_ms: Number(interval),
                metrics: textOf(fields, 'metrics'),
                match: textOf(fields, 'match'),
              },
            ],
          },
          `Saved ${name}`,
        );
      }}
    >
      <TextField
        label="Name"
        name="name"
        problem={nameProblem}
        required
        autoFocus={subscription === undefined}
        readOnly={subscription !== undefined}
        spellCheck={false}
        value={name}
        onText={setName}
      />
      <TextField
        label="Interval in milliseconds"
        name="interval"
        problem={isInterval ? undefined : `must be a whole number from ${intervalMinMs} to ${intervalMaxMs}`}
        inputMode="numeric"
        value={interval}
        onText={setTypedInterval}
      >
        How often clients push metrics.
      </TextField>
      <TextField
        label="Metrics"
        name="metrics"
        className="font-mono"
        spellCheck={false}
        defaultValue={subscription?.metrics ?? '*'}
      >
        Name prefixes separated by commas, such as org.apache.kafka.producer., or * for all.
      </TextField>
      <TextField
        label="Clients"
        name="match"
        className="font-mono"
        spellCheck={false}
        defaultValue={subscription?.match ?? ''}
      >
        selector=pattern, separated by commas, such as client_id=shop-.*; all must match. Empty for all
        clients.
      </TextField>
    </FormDialog>
  );
}
