import type { MetricRow } from '@weir/core';

/** Tags that operators may switch off; the series that they distinguished are then combined into one. */
export const switchedTags = ['topic', 'consumer_group', 'partition'] as const;

export type SwitchedTag = (typeof switchedTags)[number];

/** A metric of the whole cluster. Every process would publish the same values, so only one process does. */
export interface PublishedMetric<Label extends string = string> extends MetricRow<Label> {
  readonly kind: 'gauge';
  /** How stats are combined that no remaining tag distinguishes. */
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
