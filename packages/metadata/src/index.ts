export type { ExporterSecrets } from './jobs/exporter-secrets.ts';
export type { ManagedPipeline } from './jobs/pipeline-planner.ts';
export type { LinkingPipeline } from './jobs/schema-linking-planner.ts';
export { ClusterNode, type ServingRight } from './leader/cluster-node.ts';
export { LoadSharing } from './leader/load-sharing/load-sharing.ts';
export { clusterMachines, fileCommitMsMax } from './leader/machine-kind.ts';
export { shortLease } from './leader/timing.ts';
export { leadingMetricRows } from './metric-rows.ts';
export { SeriesBudget } from './series/series-store.ts';
