import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

/** One failure may be a restart of the other side. */
const failuresMin = 3;

export const failingAlertChannels = defineCheck({
  name: 'failing_alert_channels',
  type: 'limits',
  source: 'control_plane',
  severity: 'high',
  title: 'Alerts cannot be delivered',
  observes: 'How many attempts in a row to send an alert by each channel failed.',
  explanation:
    'Alerts are tried again for about 20 minutes and then given up, so that problems go unnoticed.',
  fix: 'Test the channel on the page Alerts of the console, or with test_alert_channel, and correct its address or its key. A host that is not public has to be in -allowedTargetHosts of the control plane.',
  kinds: clusterKinds,
  run({ alertChannels }) {
    if (alertChannels === undefined) return { missing: 'alert channels' };
    return alertChannels
      .filter(({ failures }) => failures >= failuresMin)
      .map(({ name, failures, sinceMs, lastError }) => ({
        entity: { kind: 'channel', name } as const,
        message: `Channel ${name}: ${counted(failures, 'attempt')} in a row failed: ${lastError}`,
        weight: failures,
        sinceMs,
      }));
  },
});
