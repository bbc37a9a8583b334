import { timeText } from '@weir/core';
import type { AlertMessage, NotificationKind } from '../../accounts/alerts/alert-types.ts';

const words: Readonly<Record<NotificationKind, string>> = {
  fired: 'Firing',
  changed: 'Changed',
  repeated: 'Still firing',
  resolved: 'Resolved',
};

/** The headline of a message: `[Firing] Denied writes on vcn_shop`. */
export function headline({ kind, alertName, clusterName }: AlertMessage): string {
  return `[${words[kind]}] ${alertName} on ${clusterName}`;
}

/** The lines of a message below its headline. */
export function linesOf(message: AlertMessage): readonly string[] {
  const { summary, findings, findingCount, resolved, severity, kind, atMs } = message;
  const more = findingCount - findings.length;
  return [
    summary,
    ...(findings.length > 1 ? findings.map((one) => `- ${one.title} (${one.severity}): ${one.message}`) : []),
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...resolved.map((title) => `- no longer: ${title}`),
    `${kind === 'resolved' ? 'Severity was' : 'Severity'} ${severity}, at ${timeText(atMs)}`,
  ];
}
