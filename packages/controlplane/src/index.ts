export type { AuditEntry } from './accounts/audit/audit-log.ts';
export type { ApiKey } from './accounts/keys/keys.ts';
export { type AccountsDatabase, openAccounts } from './accounts/open.ts';
export { defaultPasswordCost } from './accounts/secrets/password-hash.ts';
export { createSecretBox } from './accounts/secrets/secret-box.ts';
export { freshKeySecret } from './accounts/secrets/secrets.ts';
export type { VirtualCluster } from './accounts/workspaces/virtual-clusters.ts';
export { createApiServer } from './api-server/api-server.ts';

export { hostedMetricRows } from './hosted-metrics/metric-rows.ts';
export { accountOperations } from './operations/account/account-operations.ts';
export { clusterOperations } from './operations/cluster/cluster-operations.ts';
export { openRegistries } from './schema-registry/open-registries.ts';
export { startControlPlane } from './server.ts';
