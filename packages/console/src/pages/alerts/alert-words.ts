import type { OutputOf } from '@weir/api/client';

export type Alert = OutputOf<'list_alerts'>['alerts'][number];
export type Channel = OutputOf<'list_alert_channels'>['channels'][number];

export const channelKinds: Readonly<Record<Channel['kind'], string>> = {
  slack: 'Slack',
  pagerduty: 'PagerDuty',
  webhook: 'Webhook',
  email: 'E-mail',
};

/** When an alert fires, in one line. */
export function conditionOf({ events, diagnostics }: Pick<Alert, 'events' | 'diagnostics'>): string {
  if (events !== null)
    return `More than ${count(events.more_than, 'event')} of ${events.view_name} in ${count(events.within_minutes, 'minute')}`;
  if (diagnostics === null) return '';
  const { diagnostic_ids: ids, min_severity: severity } = diagnostics;
  const which =
    ids.length === 0
      ? 'Any diagnostic'
      : ids.length <= 2
        ? ids.join(' or ')
        : `One of ${ids.length} diagnostics`;
  const orHigher = severity === 'critical' ? '' : ' or higher';
  return `${which} fails${severity === 'low' ? '' : ` with severity ${severity}${orHigher}`}`;
}

/** The repetitions that a form offers, in minutes; the own one too. */
export function repeatOptions(own: number | null): (readonly [value: string, label: string])[] {
  const usual = [15, 60, 240, 1440];
  const minutes = own === null || usual.includes(own) ? usual : [...usual, own].toSorted((a, b) => a - b);
  return [['', 'Never'], ...minutes.map((each) => [String(each), `Every ${duration(each)}`] as const)];
}

/** The times in which events are counted that a form offers, in minutes; the own one too. */
export function windowOptions(own: number): (readonly [value: string, label: string])[] {
  const usual = [1, 5, 15, 60, 360, 1440];
  const minutes = usual.includes(own) ? usual : [...usual, own].toSorted((a, b) => a - b);
  return minutes.map((each) => [String(each), duration(each)]);
}

function duration(minutes: number): string {
  return minutes % 60 === 0 ? count(minutes / 60, 'hour') : count(minutes, 'minute');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
