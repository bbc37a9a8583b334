import { type ChangedDiagnostics, changeDiagnostics } from './change.ts';
import { diagnosticLimits } from './limits.ts';
import type { Mute } from './record.ts';
import { describeCheck } from './registry.ts';
import type { DiagnosticsStore } from './store.ts';

/** Why a diagnostic cannot be muted or unmuted, as a sentence that says what to do. */
export class MuteRefused extends Error {
  override readonly name = 'MuteRefused';
}

/**
 * Mutes a diagnostic. Any process of a control plane may do it; the leader of the cluster picks it up with its next
 * run.
 */
export async function muteDiagnostic(
  store: DiagnosticsStore,
  { clusterId, name, mute }: { readonly clusterId: string; readonly name: string; readonly mute: Mute },
): Promise<ChangedDiagnostics> {
  checkName(name);
  const { atMs, untilMs, reason } = mute;
  if (untilMs !== null && !(untilMs > atMs)) {
    throw new MuteRefused('The end time of a mute must be in the future.');
  }
  if (reason.length > diagnosticLimits.diagnosticTextCharsMax) {
    throw new MuteRefused(
      `The reason must not be longer than ${diagnosticLimits.diagnosticTextCharsMax} characters.`,
    );
  }
  return changeDiagnostics(store, clusterId, [{ name, event: { kind: 'mute', mute } }], atMs);
}

/** Unmutes a diagnostic; no effect on one that is not muted. */
export async function unmuteDiagnostic(
  store: DiagnosticsStore,
  request: { readonly clusterId: string; readonly name: string; readonly by: string; readonly atMs: number },
): Promise<ChangedDiagnostics> {
  const { clusterId, name, by, atMs } = request;
  checkName(name);
  return changeDiagnostics(store, clusterId, [{ name, event: { kind: 'unmute', atMs, by } }], atMs);
}

function checkName(name: string): void {
  if (describeCheck(name) === undefined) throw new MuteRefused(`Unknown diagnostic ${name}.`);
}
