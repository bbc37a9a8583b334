import type { MetricRow } from '@weir/core';

/** The tags that operators may switch off; what they told apart is then combined into one figure. */
export const switchedTags = ['topic', 'consumer_group', 'partition'] as const;

export type SwitchedTag = (typeof switchedTags)[number];

/** A figure of the cluster. Everyone who publishes it says the same, so that one process does. */
export interface PublishedMetric<Label extends string = string> extends MetricRow<Label> {
  readonly kind: 'gauge';
  /** What becomes of several stats that no tag tells apart any more. */
  readonly combined: 'sum' | 'max' | 'min';
}

export function published<Label extends string>(
  name: string,
  labels: readonly Label[],
  combined: PublishedMetric['combined'],
  help: string,
): PublishedMetric<Label> {
  return { name, kind: 'gauge', labels, combined, help };
}
