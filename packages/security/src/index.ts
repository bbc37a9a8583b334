export { type Access, fullAccess, mayOnCluster, operationsNotRequested } from './access.ts';
export { createAccessOf } from './acl/access-of.ts';
export { deniedRow } from './acl/acl-metrics.ts';
export { aclModeOf } from './acl/acl-mode.ts';
export {
  entryNumbers,
  isKafkaAcl,
  isUnknown,
  type KafkaAcl,
  readAcl,
  readFilter,
  resourceNumbers,
} from './acl/acl-words.ts';
export type { GuardedRequest } from './acl/denial-log.ts';
export { type AuthenticationMethod, type AuthenticationOutcome, HttpLogins } from './http-logins.ts';
export {
  anonymous,
  type Principal,
  principalInAcls,
  principalWithoutCredential,
  userOf,
} from './principal.ts';
export { type PrincipalOf, principalsOf } from './principals.ts';
export {
  type ProxyProtocolOptions,
  ProxyRefusal,
  readProxiedClient,
} from './proxy-protocol/proxied-client.ts';
export { createSasl, type SaslSettings } from './sasl/create-sasl.ts';
export { printable } from './sasl/failure-log.ts';
export { createLoginChecks, type LoginChecks } from './sasl/login-checks.ts';
export type { PasswordLogin } from './sasl/password-check.ts';
export { PipelineLogins } from './sasl/pipeline-logins.ts';
export { Sasl, saslWithoutMechanisms } from './sasl/sasl.ts';
export { authenticationsRow, expiredRow, unauthenticatedRow, waitingRow } from './sasl/sasl-metrics.ts';
export { scramSha512 } from './sasl/scram-mechanism.ts';
export { bareAddress, clientHostOf } from './session/client-host.ts';
export { type ClientSession, openSession } from './session/client-session.ts';
export { AgentPeers } from './tls/agent-peers.ts';
export { type AgentTls, type KafkaTlsOptions, peersOf } from './tls/agent-tls.ts';
export { clientNames, type NameRule } from './tls/client-names.ts';
export { certificateRows, ServerCertificates } from './tls/server-certificates.ts';
export {
  type ClientCertificates,
  clientOf,
  nameInCertificate,
  TlsAcceptor,
  TlsRefusal,
} from './tls/tls-acceptor.ts';
export { type TlsSource, tlsBucket, tlsFiles } from './tls/tls-material.ts';
