export {
  type AgentKey,
  type Authorize,
  authorizeByAgentKeys,
  authorizeByAny,
  generateAgentKey,
  hashAgentKey,
} from './agent-keys.ts';
export { keepClusterSecrets, type SecretsNode } from './cluster-secrets.ts';
export { CredentialsKeeper, type CredentialsKeeperOptions } from './credentials/credentials-keeper.ts';
export { readTrustedFile } from './files/private-file.ts';
export { WatchedFile } from './files/watched-file.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './server.ts';
export { parseBindings, type WorkloadIdentityBinding } from './workload-identity/binding.ts';
export { platformIssuers } from './workload-identity/platform-issuers.ts';
export { TokenExchange } from './workload-identity/token-exchange.ts';
