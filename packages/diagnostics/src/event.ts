import type { Transition } from './record.ts';
import { describeCheck } from './registry.ts';

/** The `data` of a `diagnostics_logs` event. */
interface DiagnosticEventData {
  readonly diagnostic_id: string;
  readonly diagnostic_source: string;
  readonly diagnostic_type: string;
  readonly transition: string;
  readonly virtual_cluster_id: string;
  readonly title: string;
  readonly message: string;
  /** Absent if nothing was found. */
  readonly severity?: string | undefined;
  /** Who muted or unmuted it. */
  readonly by?: string | undefined;
}

/** `undefined` for silent transitions and those of later releases. */
export function diagnosticEventData(transition: Transition): DiagnosticEventData | undefined {
  const check = describeCheck(transition.name);
  if (transition.isSilent || check === undefined) return undefined;
  const { clusterId, name, kind, message, severity, by } = transition;
  return {
    diagnostic_id: name,
    diagnostic_source: check.source,
    diagnostic_type: check.type,
    transition: kind,
    virtual_cluster_id: clusterId,
    title: check.title,
    message,
    ...(severity === null ? {} : { severity }),
    ...(by === null ? {} : { by }),
  };
}
