export type { Account, NewAccount } from './accounts/accounts.ts';
export type {
  AuditActor,
  AuditEntry,
  AuditLog,
  AuditNote,
  AuditPage,
  AuditSearch,
} from './accounts/audit-log.ts';
export type { AccountsDeps } from './accounts/deps.ts';
export type { KeyGrant, KeyKind, RoleGrant } from './accounts/grants.ts';
export type { ApiKey } from './accounts/keys.ts';
export { type AccountsDatabase, openAccounts } from './accounts/open.ts';
export { defaultPasswordCost } from './accounts/password-hash.ts';
export { freshKeySecret, hashSecret } from './accounts/secrets.ts';
export type { VirtualCluster } from './accounts/virtual-clusters.ts';
export {
  type AgentKey,
  type Authorize,
  authorizeByAgentKeys,
  authorizeByAny,
} from './agent-keys.ts';
export { type ApiServer, type ApiServerOptions, createApiServer } from './api-server/api-server.ts';
export type { ServedHandlers } from './api-server/perform-operation.ts';
export { keepClusterSecrets, type SecretsNode } from './cluster-secrets.ts';
export { CredentialsKeeper, type CredentialsKeeperOptions } from './credentials/credentials-keeper.ts';
export { type ChangedDiagnostics, changeDiagnostics } from './diagnostics/change.ts';
export type { CheckDescription } from './diagnostics/check.ts';
export type { DiagnosticSnapshot } from './diagnostics/diagnostic-snapshot.ts';
export { type DiagnosticEventData, diagnosticEventData } from './diagnostics/event.ts';
export { MemoryDiagnosticsStore } from './diagnostics/memory-store.ts';
export { MuteRefused, muteDiagnostic, unmuteDiagnostic } from './diagnostics/mute.ts';
export type { DiagnosticRecord, Transition } from './diagnostics/record.ts';
export { describeCheck, diagnostics } from './diagnostics/registry.ts';
export { DiagnosticsRunner, type DiagnosticsRunnerOptions } from './diagnostics/runner.ts';
export type { DiagnosticsStore } from './diagnostics/store.ts';
export { takeDiagnosticSnapshot } from './diagnostics/take-diagnostic-snapshot.ts';
export { listingsOf, transitionView, viewOf } from './diagnostics/views.ts';
export {
  type LedCluster,
  logTransition,
  type WatchedClustersOptions,
  watchClusters,
} from './diagnostics/watch-clusters.ts';
export { readTrustedFile } from './files/private-file.ts';
export { WatchedFile } from './files/watched-file.ts';
export {
  type HostedMetrics,
  type HostedMetricsOptions,
  hostedMetrics,
} from './hosted-metrics/hosted-metrics.ts';
export { hostedSamples } from './hosted-metrics/hosted-sample.ts';
export { hostedMetricRows } from './hosted-metrics/metric-rows.ts';
export { metricsReaders } from './hosted-metrics/metrics-reader.ts';
export { accountOperations } from './operations/account/account-operations.ts';
export type { CallContext } from './operations/call-context.ts';
export { clusterOperations } from './operations/cluster/cluster-operations.ts';
export type { OperationContext, OperationHandler, OperationHandlers } from './operations/handler.ts';
export { OperationFailed } from './operations/operation-failed.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './server.ts';
export { parseBindings, type WorkloadIdentityBinding } from './workload-identity/binding.ts';
export { platformIssuers } from './workload-identity/platform-issuers.ts';
export { TokenExchange } from './workload-identity/token-exchange.ts';
