/** The event types that a cluster can record. The package `events` defines them. */
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
