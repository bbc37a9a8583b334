import type { OutputOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import { type EventTypeName, eventTypes, eventTypesIn } from '@weir/events';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { useAction } from '../../../api/use-operation.ts';
import { counted } from '../../../format/format.ts';
import { useMissingRight } from '../../../session/rights.ts';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, controlClass, Select } from '../../../ui/fields.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { say, sayWithUndo } from '../../../ui/toasts.tsx';
import { ReviewChanges, type SettingChange } from '../../configs/review-changes.tsx';
import { SettingRow } from '../general/setting-row.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import {
  nanosOf,
  type Retention,
  type RetentionUnit,
  retentionOf,
  retentionText,
  retentionUnits,
} from './retention.ts';

type State = OutputOf<'get_events_state'>;

interface TypeEdit {
  readonly isEnabled?: boolean;
  readonly retention?: Retention;
}

type Edits = Readonly<Partial<Record<EventTypeName, TypeEdit>>>;

/** Whether a cluster records events, which ones, and for how long. */
export function EventSettings() {
  const clusterId = useClusterId();
  const state = useClusterOperation('get_events_state', {});
  const mayNot = useMissingRight(useClusterId()) !== undefined;
  const [edits, setEdits] = useState<Edits>({});
  const [isReviewed, setReviewed] = useState(false);
  const types = eventTypesIn(clusterKind(clusterId));
  const changed = state.data === undefined ? {} : differing(state.data, edits);
  const changes = state.data === undefined ? [] : changesOf(state.data, changed);
  const isValid = Object.values(edits).every(
    ({ retention }) => retention === undefined || nanosOf(retention) !== undefined,
  );
  return (
    <SettingsFrame
      actions={
        Object.keys(edits).length > 0 && (
          <>
            <Button onClick={() => setEdits({})}>Discard</Button>
            <Button
              kind="primary"
              disabled={!isValid || changes.length === 0}
              onClick={() => setReviewed(true)}
            >
              Review {counted(changes.length, 'change')}
            </Button>
          </>
        )
      }
    >
      <Answer of={state} what="describe the events of the cluster">
        {(answer) =>
          types.length === 0 ? (
            <Card>
              <Empty title="Schema registries record no events">
                Changes to schemas are in the audit log.
              </Empty>
            </Card>
          ) : (
            <>
              <Card title="Recording">
                <dl>
                  <EventsSwitch isEnabled={answer.enabled} isDisabled={mayNot} />
                </dl>
              </Card>
              <Card title="Types">
                <ul className="divide-y divide-line">
                  {types.map((type) => (
                    <li key={type} className="px-4 py-3">
                      <EventType
                        type={type}
                        state={answer.event_types[type]}
                        edit={edits[type]}
                        isDisabled={mayNot}
                        onEdit={(edit) => setEdits((now) => ({ ...now, [type]: { ...now[type], ...edit } }))}
                      />
                    </li>
                  ))}
                </ul>
              </Card>
            </>
          )
        }
      </Answer>
      {isReviewed && (
        <ReviewEvents
          changes={changes}
          edits={changed}
          onClose={() => setReviewed(false)}
          onDone={() => setEdits({})}
        />
      )}
    </SettingsFrame>
  );
}

interface EventsSwitchProps {
  readonly isEnabled: boolean;
  readonly isDisabled: boolean;
}

function EventsSwitch({ isEnabled, isDisabled }: EventsSwitchProps) {
  const clusterId = useClusterId();
  const update = useAction('update_events_state');
  const set = (enabled: boolean) =>
    update.mutate(
      { virtual_cluster_id: clusterId, enabled },
      {
        onSuccess: () => sayWithUndo(enabled ? 'Enabled events' : 'Disabled events', () => set(!enabled)),
        onError: ({ message }) => say(message, 'fail'),
      },
    );
  return (
    <SettingRow
      name="Events"
      help={
        <>
          Events are written to internal topics in the bucket of the cluster and cost that storage and its
          requests. After disabling, recorded events stay until their retention ends.{' '}
          <TextLink to="/clusters/$clusterId/events" params={{ clusterId }}>
            Search events
          </TextLink>
          .
        </>
      }
      button={isEnabled ? 'Disable events' : 'Enable events'}
      isDisabled={isDisabled || update.isPending}
      onChange={() => set(!isEnabled)}
    >
      <Status kind={isEnabled ? 'ok' : 'muted'}>{isEnabled ? 'recorded' : 'not recorded'}</Status>
    </SettingRow>
  );
}

interface EventTypeProps {
  readonly type: EventTypeName;
  readonly state: State['event_types'][EventTypeName];
  readonly edit: TypeEdit | undefined;
  readonly isDisabled: boolean;
  readonly onEdit: (edit: TypeEdit) => void;
}

function EventType({ type, state, edit, isDisabled, onEdit }: EventTypeProps) {
  const { title, description, isEmitted } = eventTypes[type];
  const isEnabled = edit?.isEnabled ?? state?.enabled ?? false;
  const retention = edit?.retention ?? retentionOf(state?.retention_period_nanos ?? 0);
  const isValid = nanosOf(retention) !== undefined;
  const problemId = `retention-problem-${type}`;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
      <div className="min-w-56 flex-1">
        <Checkbox
          label={title}
          help={description}
          checked={isEnabled && isEmitted}
          disabled={isDisabled || !isEmitted}
          onChange={(event) => onEdit({ isEnabled: event.target.checked })}
        />
      </div>
      <div>
        <div className="flex items-center gap-2">
          <span className="text-sm text-muted">retention</span>
          <input
            aria-label={`Retention of ${title}`}
            aria-invalid={!isValid}
            aria-describedby={isValid ? undefined : problemId}
            inputMode="numeric"
            disabled={isDisabled}
            className={`${controlClass} w-20! text-right tabular-nums`}
            value={retention.count}
            onChange={(event) => onEdit({ retention: { ...retention, count: event.target.value } })}
          />
          <Select
            aria-label={`Unit of the retention of ${title}`}
            disabled={isDisabled}
            className="w-32!"
            value={retention.unit}
            onChange={(event) =>
              onEdit({ retention: { ...retention, unit: event.target.value as RetentionUnit } })
            }
            options={retentionUnits
              .filter((unit) => unit !== 'nanoseconds' || retention.unit === unit)
              .map((unit) => [unit, unit] as const)}
          />
        </div>
        {!isValid && (
          <p id={problemId} className="mt-1 text-xs text-fail">
            must be a whole number of {retention.unit}, 1 or more
          </p>
        )}
      </div>
    </div>
  );
}

interface ReviewEventsProps {
  readonly changes: readonly SettingChange[];
  readonly edits: Edits;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ReviewEvents({ changes, edits, onClose, onDone }: ReviewEventsProps) {
  const update = useClusterFormAction('update_events_state', () => {
    onDone();
    onClose();
  });
  const changed = Object.entries(edits).map(([type, { isEnabled, retention }]) => [
    type,
    {
      ...(isEnabled === undefined ? {} : { enabled: isEnabled }),
      ...(retention === undefined ? {} : { retention_period_nanos: nanosOf(retention)! }),
    },
  ]);
  return (
    <ReviewChanges
      title="Change events"
      what="change the events"
      changes={changes}
      action={update}
      onClose={onClose}
      onApply={() => update.run({ event_types: Object.fromEntries(changed) }, 'Changed the events')}
    />
  );
}

/** Edits without what is there already. */
function differing({ event_types }: State, edits: Edits): Edits {
  return Object.fromEntries(
    Object.entries(edits).flatMap(([type, { isEnabled, retention }]) => {
      const there = event_types[type as EventTypeName];
      const before = there?.retention_period_nanos;
      const edit = {
        ...(isEnabled === undefined || isEnabled === there?.enabled ? {} : { isEnabled }),
        ...(retention === undefined || (before !== undefined && nanosOf(retention) === BigInt(before))
          ? {}
          : { retention }),
      };
      return Object.keys(edit).length === 0 ? [] : [[type, edit]];
    }),
  );
}

function changesOf({ event_types }: State, changed: Edits): readonly SettingChange[] {
  const word = (isOn: boolean | undefined) => (isOn === true ? 'recorded' : 'not recorded');
  return Object.entries(changed).flatMap(([type, { isEnabled, retention }]) => {
    const there = event_types[type as EventTypeName];
    const { title } = eventTypes[type as EventTypeName];
    const before = retentionText(retentionOf(there?.retention_period_nanos ?? 0));
    return [
      ...(isEnabled === undefined
        ? []
        : [{ name: title, before: word(there?.enabled), after: word(isEnabled) }]),
      ...(retention === undefined
        ? []
        : [{ name: `${title}: retention`, before, after: retentionText(retention) }]),
    ];
  });
}
