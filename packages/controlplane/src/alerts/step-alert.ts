import type {
  Alert,
  AlertFinding,
  AlertSeverity,
  AlertState,
  NotificationKind,
} from '../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../limits.ts';

/** What an evaluation found, or why it found nothing out. */
export type Observation =
  | { readonly findings: readonly AlertFinding[]; readonly summary: string }
  | { readonly problem: string };

/** What happened, for the history, and for the channels unless the alert is muted. */
export interface Notice {
  readonly kind: NotificationKind;
  readonly isMuted: boolean;
  /** Whether it goes to the channels. */
  readonly isSent: boolean;
  readonly summary: string;
  readonly severity: AlertSeverity;
  readonly findings: readonly AlertFinding[];
  /** The titles of what no longer fires. */
  readonly resolved: readonly string[];
}

interface Step {
  readonly state: AlertState;
  readonly notice: Notice | undefined;
}

/**
 * The next state of an alert. Pure: time comes in.
 *
 * `firing` is what is, `notified` is what the channels know. While the alert is muted only the first one changes, so
 * that the difference is sent when the mute ends.
 */
export function stepAlert(alert: Alert, before: AlertState, seen: Observation, nowMs: number): Step {
  if ('problem' in seen)
    return { state: { ...before, checkedMs: nowMs, problem: seen.problem }, notice: undefined };
  const wasFiring = before.firing.length > 0;
  const isFiring = seen.findings.length > 0;
  const looked: AlertState = {
    ...before,
    checkedMs: nowMs,
    problem: null,
    summary: seen.summary,
    firing: seen.findings.slice(0, controlPlaneLimits.alertFindingsMax),
    firingSinceMs: isFiring ? (before.firingSinceMs ?? nowMs) : null,
    lastFiredMs: isFiring && !wasFiring ? nowMs : before.lastFiredMs,
  };
  if (isMuted(alert, nowMs)) {
    if (isFiring === wasFiring) return { state: looked, notice: undefined };
    return noticed(looked, isFiring ? 'fired' : 'resolved', { before, isMuted: true, isSent: false });
  }
  return sent(alert, before, looked, nowMs);
}

export function isMuted({ mute }: Pick<Alert, 'mute'>, nowMs: number): boolean {
  return mute !== undefined && (mute.untilMs === null || nowMs < mute.untilMs);
}

function sent(alert: Alert, before: AlertState, looked: AlertState, nowMs: number): Step {
  const { notified } = before;
  const findings = looked.firing;
  const isFiring = findings.length > 0;
  if (notified === null) {
    // An alert that comes and goes is not sent each time.
    if (!isFiring || !mayInterrupt(before, nowMs)) return { state: looked, notice: undefined };
    const fired = {
      ...looked,
      notified: { findings, atMs: nowMs },
      sentMs: nowMs,
      incidents: before.incidents + 1,
    };
    return noticed(fired, 'fired', { before, isSent: true });
  }
  if (!isFiring)
    return noticed({ ...looked, notified: null }, 'resolved', { before, isSent: alert.notifiesResolved });
  const isNew = findings.some(({ key }) => !hasKey(notified.findings, key));
  const isGone = notified.findings.some(({ key }) => !hasKey(findings, key));
  if ((isNew || (isGone && alert.notifiesResolved)) && mayInterrupt(before, nowMs)) {
    const changed = { ...looked, notified: { findings, atMs: nowMs }, sentMs: nowMs };
    return noticed(changed, 'changed', { before, isSent: true });
  }
  const repeatMs = alert.repeatMinutes === null ? Number.POSITIVE_INFINITY : alert.repeatMinutes * 60_000;
  if (nowMs - notified.atMs < repeatMs) return { state: looked, notice: undefined };
  return noticed({ ...looked, notified: { findings, atMs: nowMs } }, 'repeated', { before, isSent: true });
}

function mayInterrupt({ sentMs }: AlertState, nowMs: number): boolean {
  return sentMs === null || nowMs - sentMs >= controlPlaneLimits.alertGatherMs;
}

function noticed(
  state: AlertState,
  kind: NotificationKind,
  {
    before,
    isMuted = false,
    isSent,
  }: { readonly before: AlertState; readonly isMuted?: boolean; readonly isSent: boolean },
): Step {
  const known = isMuted ? before.firing : (before.notified?.findings ?? []);
  const gone = known.filter(({ key }) => !hasKey(state.firing, key));
  const [worst = gone[0]] = state.firing;
  return {
    state: { ...state, notificationCount: state.notificationCount + 1 },
    notice: {
      kind,
      isMuted,
      isSent,
      summary: state.summary,
      severity: worst?.severity ?? 'low',
      findings: state.firing,
      resolved: gone.map(({ title }) => title),
    },
  };
}

function hasKey(findings: readonly AlertFinding[], key: string): boolean {
  return findings.some((finding) => finding.key === key);
}
