import { timeText } from '@weir/core';
import type { AlertMessage } from '../../accounts/alerts/alert-types.ts';

/** The JSON that any webhook gets. Fields may be added; those that are here keep their meaning. */
export function webhookBody(message: AlertMessage): object {
  return {
    version: 1,
    kind: message.kind,
    alert: { id: message.alertId, name: message.alertName },
    cluster: { id: message.clusterId, name: message.clusterName },
    time: timeText(message.atMs),
    severity: message.severity,
    summary: message.summary,
    findings: message.findings,
    finding_count: message.findingCount,
    resolved: message.resolved,
    incident_key: message.incidentKey,
    link: message.link,
  };
}
