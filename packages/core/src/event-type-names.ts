/** The types of events that a cluster can record. What each of them is stands in the package `events`. */
export const eventTypeNames = [
  'agent_logs',
  'acl_logs',
  'pipeline_logs',
  'orbit_logs',
  'diagnostics_logs',
  'tableflow_logs',
  'cluster_metrics',
] as const;

export type EventTypeName = (typeof eventTypeNames)[number];
