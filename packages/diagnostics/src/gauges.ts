import { diagnosticFailure } from '@weir/cluster';
import type { LabelValues, MetricRow, Metrics } from '@weir/core';
import { type CheckDescription, type Severity, severities } from './check.ts';
import type { DiagnosticRecord } from './record.ts';
import { describeCheck } from './registry.ts';

type SeverityLabel = `severity_${Severity}`;
type DiagnosticLabel = 'diagnostic_name' | 'diagnostic_type' | SeverityLabel | 'muted';

/** The labels of a severity are those of `severities`. */
export const diagnosticFailureRow: MetricRow<DiagnosticLabel> = diagnosticFailure;

interface DiagnosticSample {
  readonly labels: LabelValues<DiagnosticLabel>;
  readonly value: 0 | 1;
}

/** Returns one sample per diagnostic with a known status. */
export function diagnosticSamples(records: readonly DiagnosticRecord[]): readonly DiagnosticSample[] {
  return records.flatMap((record) => {
    const check = describeCheck(record.name);
    if (check === undefined || record.status === 'unknown') return [];
    return [{ labels: labelsOf(check, record), value: record.status === 'failed' ? 1 : 0 }];
  });
}

function labelsOf(check: CheckDescription, { status, severity, mute }: DiagnosticRecord) {
  const failing = status === 'failed' ? (severity ?? check.severity) : undefined;
  const flags = severities.map((each) => [`severity_${each}`, String(each === failing)]);
  return {
    diagnostic_name: check.name,
    diagnostic_type: check.type,
    ...(Object.fromEntries(flags) as Record<SeverityLabel, string>),
    muted: String(mute !== null),
  };
}

/** The samples of one cluster among its metrics. The status of a diagnostic is in its labels, so series come and go. */
export class DiagnosticGauges {
  readonly #metrics: Metrics;
  #shown: readonly DiagnosticSample[] = [];

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  show(records: readonly DiagnosticRecord[]): void {
    this.clear();
    this.#shown = diagnosticSamples(records);
    for (const { labels, value } of this.#shown)
      this.#metrics.series(diagnosticFailureRow, labels).set(value);
  }

  clear(): void {
    for (const { labels } of this.#shown) this.#metrics.remove(diagnosticFailureRow, labels);
    this.#shown = [];
  }
}
