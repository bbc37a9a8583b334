import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction } from '../../../api/use-operation.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextControl } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { say } from '../../../ui/toasts.tsx';

type Subscription = OutputOf<'list_client_metrics_subscriptions'>['subscriptions'][number];

interface SubscriptionDialogProps {
  readonly clusterId: string;
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

export function SubscriptionDialog({ clusterId, subscription, names, onClose }: SubscriptionDialogProps) {
  const update = useAction('update_client_metrics_subscriptions');
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
    <Dialog
      isOpen
      onClose={onClose}
      title={subscription === undefined ? 'Create subscription' : `Change ${subscription.name}`}
    >
      <Form
        what="save the subscription"
        button="Save subscription"
        action={update}
        onCancel={onClose}
        onSubmit={(fields) => {
          if (name === '' || nameProblem !== undefined || !isInterval) return;
          update.mutate(
            {
              virtual_cluster_id: clusterId,
              client_metrics_subscriptions: [
                {
                  name,
                  interval_ms: Number(interval),
                  metrics: textOf(fields, 'metrics'),
                  match: textOf(fields, 'match'),
                },
              ],
            },
            {
              onSuccess: () => {
                say(`Saved ${name}`);
                onClose();
              },
            },
          );
        }}
      >
        <Field label="Name" name="name" problem={nameProblem}>
          <TextControl
            required
            autoFocus={subscription === undefined}
            readOnly={subscription !== undefined}
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field
          label="Interval in milliseconds"
          name="interval"
          help="How often clients push metrics."
          problem={
            isInterval ? undefined : `must be a whole number from ${intervalMinMs} to ${intervalMaxMs}`
          }
        >
          <TextControl
            inputMode="numeric"
            value={interval}
            onChange={(event) => setTypedInterval(event.target.value)}
          />
        </Field>
        <Field
          label="Metrics"
          name="metrics"
          help="Name prefixes separated by commas, such as org.apache.kafka.producer., or * for all."
        >
          <TextControl
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
            defaultValue={subscription?.metrics ?? '*'}
          />
        </Field>
        <Field
          label="Clients"
          name="match"
          help="selector=pattern, separated by commas, such as client_id=shop-.*; all must match. Empty for all clients."
        >
          <TextControl
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
            defaultValue={subscription?.match ?? ''}
          />
        </Field>
      </Form>
    </Dialog>
  );
}
