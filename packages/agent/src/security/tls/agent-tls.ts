import { type AgentIdentity, AgentPeers } from './agent-peers.ts';
import type { ServerCertificates } from './server-certificates.ts';
import type { TlsAcceptorOptions } from './tls-acceptor.ts';

export interface KafkaTlsOptions extends Omit<TlsAcceptorOptions, 'clock'> {
  /** Whether the certificates of clients are written into the log. */
  readonly logsCertificates: boolean;
}

/** Which listeners of an agent speak TLS; all of them with the same certificate. */
export interface AgentTls {
  /** The caller's to close. */
  readonly certificates: ServerCertificates;
  readonly kafka: Omit<KafkaTlsOptions, 'certificates'> | undefined;
  readonly http: boolean;
  /** A listener of its own for other agents, who show certificates too. */
  readonly internal: { readonly port: number; readonly identity: AgentIdentity } | undefined;
}

/** How an agent recognises others, when it talks to them over TLS at all. */
export function peersOf(tls: AgentTls | undefined): AgentPeers | undefined {
  if (tls?.internal !== undefined) return new AgentPeers(tls.certificates, tls.internal.identity);
  if (tls?.http === true)
    return new AgentPeers(tls.certificates, { trustDomain: undefined, workloadId: undefined });
  return undefined;
}
