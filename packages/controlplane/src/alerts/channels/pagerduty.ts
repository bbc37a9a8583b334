import { timeText } from '@weir/core';
import type { AlertMessage, AlertSeverity } from '../../accounts/alerts/alert-types.ts';
import { linesOf } from './texts.ts';

export const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue';

const severities: Readonly<Record<AlertSeverity, string>> = {
  low: 'info',
  medium: 'warning',
  high: 'error',
  critical: 'critical',
};
/** As PagerDuty has it. */
const summaryCharsMax = 1024;

/** An event of Events API v2. All messages about one incident have its key, so that a repeated one opens no other. */
export function pagerDutyBody(message: AlertMessage, routingKey: string): object {
  const { kind, alertName, clusterName, clusterId, summary, severity, atMs, incidentKey, link } = message;
  const base = { routing_key: routingKey, dedup_key: incidentKey };
  if (kind === 'resolved') return { ...base, event_action: 'resolve' };
  return {
    ...base,
    event_action: 'trigger',
    client: 'Weir',
    client_url: link,
    payload: {
      summary: `${alertName}: ${summary}`.slice(0, summaryCharsMax).toWellFormed(),
      source: clusterName,
      severity: severities[severity],
      timestamp: timeText(atMs),
      component: clusterId,
      custom_details: { details: linesOf(message).join('\n') },
    },
  };
}
