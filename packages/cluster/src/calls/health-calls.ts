import { tuple } from '../shapes/shape.ts';
import { leaderCall, type PortOf } from './call.ts';

/** A diagnostic of the cluster with a known status, with the labels of its metric. */
interface DiagnosticHealth {
  readonly labels: Readonly<Record<string, string>>;
  readonly isFailing: boolean;
}

/** What the control plane found when it last checked a cluster. */
export interface ClusterHealth {
  readonly diagnostics: readonly DiagnosticHealth[];
  /** The load of the leader, 0 to 1. Absent before the first check. */
  readonly utilization?: number | undefined;
}

/** The calls about the health of a cluster. */
export const healthCalls = {
  /** Returns what the leader's process last found; nothing before its first check. */
  describeHealth: leaderCall<[], ClusterHealth>(tuple(), { onRetry: 'reexecute' }),
};

export type HealthPort = PortOf<typeof healthCalls>;
