export { type AvoidedReleases, avoidedReleases, reasonsToAvoid } from './avoided-releases.ts';
export type { ChangedDiagnostics } from './change.ts';
export { type DiagnosticEvents, diagnosticEvents } from './diagnostic-events.ts';
export type { ClusterKind } from './diagnostic-snapshot.ts';
export { diagnosticFailureRow, diagnosticSamples } from './gauges.ts';
export { diagnosticLimits } from './limits.ts';
export { MuteRefused, muteDiagnostic, unmuteDiagnostic } from './mute.ts';
export type { WantedPipeline } from './pipeline-facts.ts';
export { type DiagnosticRecord, newRecord, type Transition } from './record.ts';
export { describeCheck } from './registry.ts';
export type {
  DiagnosticChange,
  DiagnosticsStore,
  StoredDiagnostic,
  TransitionPlace,
  TransitionsQuery,
} from './store.ts';
export { measureUtilization, utilizationRow } from './utilization.ts';
export { listingsOf, transitionView, viewOf } from './views.ts';
export { logTransition, watchClusters } from './watch-clusters.ts';
