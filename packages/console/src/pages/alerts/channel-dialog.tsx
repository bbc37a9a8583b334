import type { CallOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterFormAction } from '../../ui/actions.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { type Channel, channelKinds } from './alert-words.ts';

interface ChannelDialogProps {
  /** The one that is changed; absent for a new one. */
  readonly channel?: Channel;
  readonly description?: string;
  readonly onClose: () => void;
  /** After it was saved; by default it closes. */
  readonly onDone?: () => void;
}

type Settings = Omit<CallOf<'update_alert_channel'>, 'virtual_cluster_id' | 'channel_id' | 'channel_name'>;

/** Makes or changes where alerts are sent. */
export function ChannelDialog({ channel, description, onClose, onDone = onClose }: ChannelDialogProps) {
  const [kind, setKind] = useState<Channel['kind']>(channel?.kind ?? 'slack');
  const create = useClusterFormAction('create_alert_channel', onDone);
  const update = useClusterFormAction('update_alert_channel', onDone);
  const submit = (fields: FormData) => {
    const channel_name = textOf(fields, 'channel_name');
    const settings = settingsIn(fields);
    if (channel === undefined) create.run({ channel_name, kind, ...settings }, `Created ${channel_name}`);
    else update.run({ channel_id: channel.id, channel_name, ...settings }, `Changed ${channel_name}`);
  };
  return (
    <FormDialog
      title={channel === undefined ? 'New channel' : 'Change channel'}
      {...(description === undefined ? {} : { description })}
      what="save the channel"
      button="Save channel"
      action={channel === undefined ? create : update}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        name="channel_name"
        required
        autoFocus
        maxLength={100}
        defaultValue={channel?.name ?? ''}
      />
      {channel === undefined && (
        <SelectField
          label="Kind"
          name="kind"
          value={kind}
          onChange={(event) => setKind(event.target.value as Channel['kind'])}
          options={Object.entries(channelKinds)}
        />
      )}
      {(kind === 'slack' || kind === 'webhook') && <WebhookFields kind={kind} channel={channel} />}
      {kind === 'pagerduty' && <PagerDutyFields channel={channel} />}
      {kind === 'email' && <EmailFields channel={channel} />}
    </FormDialog>
  );
}

interface FieldsProps {
  readonly channel: Channel | undefined;
}

const kept = 'Leave it empty to keep the current one.';

function WebhookFields({ kind, channel }: FieldsProps & { readonly kind: 'slack' | 'webhook' }) {
  return (
    <>
      <TextField
        label="Webhook URL"
        name="webhook_url"
        type="password"
        required={channel === undefined}
        placeholder={channel?.target ?? 'https://'}
      >
        {channel !== undefined
          ? kept
          : kind === 'slack'
            ? 'Of an incoming webhook of Slack, or of a program that takes the same, such as Mattermost.'
            : 'Gets a POST with JSON.'}
      </TextField>
      {kind === 'webhook' && (
        <TextField label="Authorization header" name="authorization_secret" type="password">
          {channel?.has_authorization ? kept : 'Optional, such as: Bearer and a token.'}
        </TextField>
      )}
    </>
  );
}

function PagerDutyFields({ channel }: FieldsProps) {
  return (
    <>
      <TextField label="Integration key" name="routing_key" type="password" required={channel === undefined}>
        {channel === undefined ? 'Of an Events API v2 integration of a service.' : kept}
      </TextField>
      <TextField
        label="Address"
        name="endpoint_url"
        defaultValue={channel?.endpoint_url ?? 'https://events.pagerduty.com/v2/enqueue'}
      >
        In the EU: https://events.eu.pagerduty.com/v2/enqueue
      </TextField>
    </>
  );
}

function EmailFields({ channel }: FieldsProps) {
  return (
    <>
      <TextField
        label="Recipients"
        name="to_addresses"
        required
        defaultValue={channel?.to_addresses.join(', ') ?? ''}
      >
        Addresses with commas between them.
      </TextField>
      <TextField
        label="Sender"
        name="from_address"
        type="email"
        required
        defaultValue={channel?.from_address ?? ''}
      />
      <TextField label="Mail server" name="smtp_host" required defaultValue={channel?.smtp_host ?? ''} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Port"
          name="smtp_port"
          inputMode="numeric"
          pattern="[0-9]*"
          defaultValue={channel?.smtp_port ?? ''}
        >
          Empty for the usual one.
        </TextField>
        <SelectField
          label="Encryption"
          name="smtp_security"
          defaultValue={channel?.smtp_security ?? 'starttls'}
          options={[
            ['starttls', 'STARTTLS'],
            ['tls', 'TLS'],
            ['none', 'None'],
          ]}
        />
      </div>
      <TextField label="User" name="smtp_username" defaultValue={channel?.smtp_username ?? ''}>
        Empty if the mail server needs no login.
      </TextField>
      <TextField label="Password" name="smtp_password" type="password">
        {channel?.smtp_username ? kept : 'Sent over TLS only.'}
      </TextField>
    </>
  );
}

/** What was typed. Empty fields are left out, except those whose emptiness says something. */
function settingsIn(fields: FormData): Settings {
  const given: Record<string, string | number | string[]> = {};
  for (const name of [
    'webhook_url',
    'authorization_secret',
    'routing_key',
    'endpoint_url',
    'smtp_host',
    'smtp_security',
    'smtp_password',
    'from_address',
  ]) {
    const text = textOf(fields, name);
    if (text !== '') given[name] = text;
  }
  if (fields.has('smtp_username')) given.smtp_username = textOf(fields, 'smtp_username');
  const port = textOf(fields, 'smtp_port');
  if (port !== '') given.smtp_port = Number(port);
  const recipients = textOf(fields, 'to_addresses')
    .split(/[\s,;]+/)
    .filter((address) => address !== '');
  if (recipients.length > 0) given.to_addresses = recipients;
  return given as Settings;
}
