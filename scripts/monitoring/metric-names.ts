import { agentMetricRows } from '../../packages/agent/src/index.ts';
import { hostedMetricRows } from '../../packages/controlplane/src/index.ts';
import { controlPlaneMetricRows } from '../../packages/controlplane/src/metric-rows.ts';
import type { MetricRow } from '../../packages/core/src/metrics.ts';

const rows = new Map<string, MetricRow>(
  [...hostedMetricRows, ...agentMetricRows, ...controlPlaneMetricRows].map((row) => [row.name, row]),
);

/** Labels that Prometheus or the publisher adds to every series. */
const labelsOfAll: readonly string[] = ['job', 'instance', 'agent_version', 'virtual_cluster_id'];

/**
 * Returns what is wrong with the names of metrics and labels in an expression of PromQL: every metric has to be in the
 * catalogue, every label has to be one of a metric of the expression, and the suffixes of histograms belong to those.
 */
export function problemsOf(expression: string): string[] {
  const problems: string[] = [];
  const labels = new Set([...labelsOfAll, 'le']);
  for (const [, name] of expression.matchAll(/\bservice_([a-z0-9_]+)/g)) {
    const row = rows.get(name!) ?? histogramOf(name!);
    if (row === undefined) problems.push(`service_${name}: no such metric`);
    else if (row.kind === 'histogram' && rows.has(name!))
      problems.push(`service_${name}: a histogram; write _bucket, _sum or _count`);
    for (const label of row?.labels ?? []) labels.add(label);
  }
  const matched = [...expression.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!);
  const grouped = [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(/\s*,\s*/),
  );
  for (const label of [...matched, ...grouped])
    if (!labels.has(label)) problems.push(`${label}: no label of a metric of ${expression}`);
  return problems;
}

function histogramOf(name: string): MetricRow | undefined {
  const row = rows.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  return row?.kind === 'histogram' ? row : undefined;
}
