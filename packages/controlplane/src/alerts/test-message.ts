import type { AlertMessage } from '../accounts/alerts/alert-types.ts';

interface TestOf {
  readonly kind: 'fired' | 'resolved';
  readonly channelId: string;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly atMs: number;
  readonly link: string;
}

/** What a channel gets to see whether it works. */
export function testMessage({ channelId, ...of }: TestOf): AlertMessage {
  return {
    ...of,
    alertId: channelId,
    alertName: 'Test message',
    severity: 'low',
    summary: 'This is a test. Alerts of this cluster look like this.',
    findings: [],
    findingCount: 0,
    resolved: [],
    incidentKey: `${channelId}.test.${of.atMs}`,
  };
}
