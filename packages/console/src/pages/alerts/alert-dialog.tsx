import type { CallOf } from '@weir/api/client';
import { type ReactNode, useState } from 'react';
import { problemOf } from '../../api/client.ts';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { useWorkspaceOf } from '../../session/use-workspace.ts';
import { Checkbox, SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { Failure } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { type Alert, type Channel, channelKinds, repeatOptions, windowOptions } from './alert-words.ts';
import { ChannelDialog } from './channel-dialog.tsx';

/** What an alert begins with, one of these: nothing chosen yet if all are absent. */
interface Begin {
  /** The one that is changed. */
  readonly alert?: Alert;
  readonly diagnostic?: { readonly id: string; readonly title: string };
  readonly view?: { readonly id: string; readonly name: string };
  /** Saves the search on the page as a shared view, and returns its id. */
  readonly saveSearch?: (name: string) => Promise<string>;
}

interface AlertDialogProps {
  readonly begin?: Begin;
  readonly onClose: () => void;
}

type Source = Pick<CallOf<'create_alert'>, 'events' | 'diagnostics'>;

/** Makes or changes an alert. Without any channel it begins with one. */
export function AlertDialog({ begin, onClose }: AlertDialogProps) {
  const channels = useClusterOperation('list_alert_channels', {});
  if (channels.isError)
    return <Failure what="list the channels" error={channels.error} onRetry={() => channels.refetch()} />;
  if (channels.data === undefined) return null;
  const all = channels.data.channels;
  return all.length === 0 ? (
    <ChannelDialog
      description="First, where to send it. The alert comes next."
      onClose={onClose}
      onDone={() => {}}
    />
  ) : (
    <AlertForm channels={all} begin={begin} onClose={onClose} />
  );
}

interface AlertFormProps {
  readonly channels: readonly Channel[];
  readonly begin: Begin | undefined;
  readonly onClose: () => void;
}

function AlertForm({ channels, begin, onClose }: AlertFormProps) {
  const clusterId = useClusterId();
  const { alert, diagnostic, view, saveSearch } = begin ?? {};
  const isNewSearch = saveSearch !== undefined;
  const [kind, setKind] = useState<'events' | 'diagnostics'>(
    isNewSearch || view !== undefined || (alert?.events ?? null) !== null ? 'events' : 'diagnostics',
  );
  const create = useAction('create_alert');
  const update = useAction('update_alert');
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const save = async (fields: FormData) => {
    const alert_name = textOf(fields, 'alert_name');
    const shared = {
      virtual_cluster_id: clusterId,
      alert_name,
      channel_ids: fields.getAll('channel').map(String),
      repeat_minutes:
        textOf(fields, 'repeat_minutes') === '' ? null : Number(textOf(fields, 'repeat_minutes')),
      notifies_resolved: fields.get('notifies_resolved') !== null,
    };
    const viewId = saveSearch !== undefined ? await saveSearch(alert_name) : textOf(fields, 'view_id');
    const source: Source =
      kind === 'events'
        ? {
            events: {
              view_id: viewId,
              more_than: Number(textOf(fields, 'more_than')),
              within_minutes: Number(textOf(fields, 'within_minutes')),
            },
          }
        : {
            diagnostics: {
              diagnostic_ids: fields.getAll('diagnostic').map(String),
              min_severity: textOf(fields, 'min_severity') as 'low',
            },
          };
    if (alert === undefined) await create.mutateAsync({ ...shared, ...source });
    else
      await update.mutateAsync({
        ...shared,
        ...source,
        alert_id: alert.id,
        is_enabled: fields.get('is_enabled') !== null,
      });
    say(`Saved ${visibleText(alert_name)}`);
    onClose();
  };
  return (
    <FormDialog
      title={alert === undefined ? 'New alert' : 'Change alert'}
      description="It is evaluated about once a minute."
      what="save the alert"
      button="Save alert"
      action={{ isPending, error }}
      onClose={onClose}
      onSubmit={(fields) => {
        setPending(true);
        setError(null);
        save(fields)
          .catch(setError)
          .finally(() => setPending(false));
      }}
    >
      <TextField
        label="Name"
        name="alert_name"
        required
        autoFocus
        maxLength={100}
        defaultValue={alert?.name ?? diagnostic?.title.slice(0, 100) ?? view?.name ?? ''}
      >
        {isNewSearch ? 'The search is saved by this name, shared with the workspace.' : undefined}
      </TextField>
      {begin === undefined || alert !== undefined ? (
        <SelectField
          label="Fires on"
          name="fires_on"
          value={kind}
          onChange={(event) => setKind(event.target.value as typeof kind)}
          options={[
            ['diagnostics', 'Diagnostics that fail'],
            ['events', 'Events that a saved search finds'],
          ]}
        />
      ) : null}
      {kind === 'events' ? (
        <EventFields alert={alert} viewId={view?.id ?? alert?.events?.view_id} isNewSearch={isNewSearch} />
      ) : (
        <DiagnosticFields
          chosen={diagnostic !== undefined ? [diagnostic.id] : (alert?.diagnostics?.diagnostic_ids ?? [])}
          minSeverity={alert?.diagnostics?.min_severity ?? (diagnostic !== undefined ? 'low' : 'high')}
        />
      )}
      <Group label="Send to">
        {channels.map(({ id, name, kind: of }, index) => (
          <Checkbox
            key={id}
            name="channel"
            value={id}
            defaultChecked={
              alert === undefined ? channels.length === 1 || index === 0 : alert.channel_ids.includes(id)
            }
            label={`${visibleText(name)} (${channelKinds[of]})`}
          />
        ))}
      </Group>
      <SelectField
        label="Send again while it fires"
        name="repeat_minutes"
        defaultValue={alert === undefined ? '240' : String(alert.repeat_minutes ?? '')}
        options={repeatOptions(alert?.repeat_minutes ?? null)}
      />
      <Checkbox
        name="notifies_resolved"
        label="Send when it is resolved"
        defaultChecked={alert?.notifies_resolved ?? true}
      />
      {alert !== undefined && (
        <Checkbox name="is_enabled" label="Enabled" defaultChecked={alert.is_enabled} />
      )}
    </FormDialog>
  );
}

interface EventFieldsProps {
  readonly alert: Alert | undefined;
  readonly viewId: string | undefined;
  /** Whether the search is the one on the page. */
  readonly isNewSearch: boolean;
}

function EventFields({ alert, viewId, isNewSearch }: EventFieldsProps) {
  const workspace = useWorkspaceOf(useClusterId());
  const listed = useOperation(
    'list_event_views',
    { workspace_id: workspace?.id ?? '' },
    { isEnabled: workspace !== undefined && !isNewSearch },
  );
  const shared = (listed.data?.views ?? []).filter(({ is_shared }) => is_shared);
  return (
    <>
      {!isNewSearch && listed.isError && (
        <p className="text-sm text-fail">{problemOf(listed.error).message}</p>
      )}
      {!isNewSearch && listed.data !== undefined && (
        <SelectField
          label="Saved search"
          name="view_id"
          required
          defaultValue={viewId ?? ''}
          options={[
            ...(viewId === undefined ? [['', 'Choose one'] as const] : []),
            ...shared.map(({ id, name }) => [id, visibleText(name)] as const),
          ]}
        >
          {shared.length === 0
            ? 'There is none yet. Save a search on the page Events, and share it.'
            : undefined}
        </SelectField>
      )}
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="More than"
          name="more_than"
          required
          inputMode="numeric"
          pattern="[0-9]{1,9}"
          defaultValue={alert?.events?.more_than ?? 0}
        >
          events
        </TextField>
        <SelectField
          label="In the last"
          name="within_minutes"
          defaultValue={String(alert?.events?.within_minutes ?? 5)}
          options={windowOptions(alert?.events?.within_minutes ?? 5)}
        />
      </div>
    </>
  );
}

interface DiagnosticFieldsProps {
  readonly chosen: readonly string[];
  readonly minSeverity: string;
}

function DiagnosticFields({ chosen, minSeverity }: DiagnosticFieldsProps) {
  const listed = useClusterOperation('list_diagnostics', {});
  const known = listed.data?.diagnostics.map(({ diagnostic_id: id, title }) => ({ id, title })) ?? [];
  const others = chosen.filter((id) => known.every((one) => one.id !== id)).map((id) => ({ id, title: id }));
  return (
    <>
      <SelectField
        label="Severity"
        name="min_severity"
        defaultValue={minSeverity}
        options={[
          ['low', 'Any'],
          ['medium', 'Medium or higher'],
          ['high', 'High or higher'],
          ['critical', 'Critical'],
        ]}
      />
      <Group label="Diagnostics" help="Without a choice, each of them counts.">
        {[...known, ...others]
          .toSorted((a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)))
          .map(({ id, title }) => (
            <Checkbox
              key={id}
              name="diagnostic"
              value={id}
              defaultChecked={chosen.includes(id)}
              label={visibleText(title)}
            />
          ))}
      </Group>
    </>
  );
}

/** Several choices below one heading, which scroll if they are many. */
function Group({
  label,
  help,
  children,
}: {
  readonly label: string;
  readonly help?: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-medium text-ink">{label}</legend>
      <div className="flex max-h-40 flex-col gap-1.5 overflow-y-auto rounded-md border border-line p-2">
        {children}
      </div>
      {help !== undefined && <p className="text-xs text-muted">{help}</p>}
    </fieldset>
  );
}
