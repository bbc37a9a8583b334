import { BellIcon, BellSlashIcon, PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { formatTime } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton, ChangeIconButton } from '../../session/change-button.tsx';
import { useButtonAction, useFormAction } from '../../ui/actions.ts';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import { MuteDialog } from '../../ui/mute-dialog.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status, type StatusKind } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AlertDialog } from './alert-dialog.tsx';
import { type Alert, conditionOf } from './alert-words.ts';
import { Channels } from './channels.tsx';
import { AlertHistory } from './history.tsx';

type Asked =
  | { readonly what: 'create' }
  | { readonly what: 'change' | 'mute' | 'delete'; readonly alert: Alert };

/** What is sent when, how it is now, and what was sent. */
export function Alerts() {
  const clusterId = useClusterId();
  const listed = useClusterOperation('list_alerts', {}, { everyMs: 5_000 });
  const [asked, setAsked] = useState<Asked>();
  const onClose = () => setAsked(undefined);
  const alerts = listed.data?.alerts ?? [];
  const firing = alerts.filter(({ state, is_enabled }) => state === 'firing' && is_enabled).length;
  const mute = useFormAction('mute_alert', onClose);
  const create = (
    <ChangeButton icon={PlusIcon} onClick={() => setAsked({ what: 'create' })}>
      New alert
    </ChangeButton>
  );
  return (
    <Page
      title="Alerts"
      facts={alerts.length > 0 && `${firing} of ${alerts.length} firing`}
      actions={alerts.length > 0 && create}
    >
      <Card>
        <Answer of={listed} what="list the alerts">
          {() =>
            alerts.length === 0 ? (
              <Empty title="No alerts yet" action={create}>
                An alert notifies a channel when a diagnostic fails, or when a saved search finds more events
                than a limit.
              </Empty>
            ) : (
              <ul aria-label="Alerts" className="divide-y divide-line">
                {alerts.map((alert) => (
                  <AlertRow key={alert.id} alert={alert} onAsk={(what) => setAsked({ what, alert })} />
                ))}
              </ul>
            )
          }
        </Answer>
      </Card>
      <Channels />
      <AlertHistory />
      {asked?.what === 'create' && <AlertDialog onClose={onClose} />}
      {asked?.what === 'change' && <AlertDialog begin={{ alert: asked.alert }} onClose={onClose} />}
      {asked?.what === 'mute' && (
        <MuteDialog
          isOpen
          what="alert"
          description="It is still evaluated, but not sent. What changed meanwhile is sent when the mute ends."
          action={mute}
          onMute={(given) =>
            mute.run({ virtual_cluster_id: clusterId, alert_id: asked.alert.id, ...given }, 'Muted')
          }
          onClose={onClose}
        />
      )}
      {asked?.what === 'delete' && (
        <DeletionDialog
          operation="delete_alert"
          input={{ virtual_cluster_id: clusterId, alert_id: asked.alert.id }}
          what={`the alert ${asked.alert.name}`}
          name={asked.alert.name}
          isInUse={false}
          onClose={onClose}
        >
          <p>Its history is deleted with it. Incidents that it opened elsewhere stay open.</p>
        </DeletionDialog>
      )}
    </Page>
  );
}

interface AlertRowProps {
  readonly alert: Alert;
  readonly onAsk: (what: 'change' | 'mute' | 'delete') => void;
}

function AlertRow({ alert, onAsk }: AlertRowProps) {
  const clusterId = useClusterId();
  const unmute = useButtonAction('unmute_alert');
  const { id, name, is_muted, state, summary, problem, last_fired_at } = alert;
  const shown = visibleText(name);
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-3 font-medium break-words text-ink">
          <bdi>{shown}</bdi>
          <span className="font-normal">
            <AlertStatus alert={alert} />
          </span>
        </p>
        <p className="text-xs break-words text-muted">
          {visibleText(conditionOf(alert))} ·{' '}
          {last_fired_at === null ? (
            'never fired'
          ) : (
            <>
              last fired <Time of={last_fired_at} isAgo />
            </>
          )}
        </p>
        {state === 'firing' && <p className="text-xs break-words text-body">{visibleText(summary)}</p>}
        {problem !== null && <p className="text-xs break-words text-fail">{visibleText(problem)}</p>}
        {is_muted && <p className="text-xs break-words text-muted">{muteOf(alert)}</p>}
      </div>
      <div className="flex items-center gap-1">
        <ChangeIconButton
          icon={is_muted ? BellIcon : BellSlashIcon}
          label={`${is_muted ? 'Unmute' : 'Mute'} ${shown}`}
          onClick={() =>
            is_muted ? unmute.run({ virtual_cluster_id: clusterId, alert_id: id }, 'Unmuted') : onAsk('mute')
          }
        />
        <ChangeIconButton icon={PencilIcon} label={`Change ${shown}`} onClick={() => onAsk('change')} />
        <ChangeIconButton icon={TrashIcon} label={`Delete ${shown}`} onClick={() => onAsk('delete')} />
      </div>
    </li>
  );
}

const states: Readonly<Record<Alert['state'], readonly [StatusKind, string]>> = {
  pending: ['info', 'Not evaluated yet'],
  ok: ['ok', 'OK'],
  firing: ['fail', 'Firing'],
  failed: ['warn', 'Cannot be evaluated'],
};

function AlertStatus({ alert: { state, is_enabled, is_muted } }: { readonly alert: Alert }) {
  if (!is_enabled) return <Status kind="muted">Disabled</Status>;
  const [kind, word] = states[state];
  return <Status kind={is_muted ? 'muted' : kind}>{is_muted ? `${word}, muted` : word}</Status>;
}

function muteOf({ muted_until, muted_by, mute_reason }: Alert): string {
  const until = muted_until === null ? '' : ` until ${formatTime(muted_until, 'local')}`;
  const reason = mute_reason === null || mute_reason === '' ? '.' : `: ${mute_reason}`;
  return visibleText(`Muted${until} by ${muted_by ?? ''}${reason}`);
}
