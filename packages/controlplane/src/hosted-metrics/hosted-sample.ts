import type { MetricRow } from '@weir/core';
import type { DiagnosticsStore } from '@weir/diagnostics';
import { diagnosticFailureRow, diagnosticSamples, utilizationRow } from '@weir/diagnostics';

/** A metric of a cluster that the control plane knows and its leader does not. */
export interface HostedSample {
  readonly row: MetricRow;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface HostedSamplesOptions {
  readonly diagnostics: Pick<DiagnosticsStore, 'load'>;
  /** The load of a cluster's leader; `undefined` unless this process leads it. */
  readonly utilizationOf: (clusterId: string) => number | undefined;
}

/** Returns which diagnostics of a cluster fail, as far as they ran, and the load of its leader. */
export function hostedSamples({ diagnostics, utilizationOf }: HostedSamplesOptions) {
  return async (clusterId: string): Promise<readonly HostedSample[]> => {
    const stored = await diagnostics.load(clusterId);
    const failures = diagnosticSamples(stored.map(({ record }) => record));
    const utilization = utilizationOf(clusterId);
    return [
      ...failures.map((sample) => ({ row: diagnosticFailureRow, ...sample })),
      ...(utilization === undefined
        ? []
        : [{ row: utilizationRow, labels: { cluster: clusterId }, value: utilization }]),
    ];
  };
}
