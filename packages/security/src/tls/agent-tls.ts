import { type AgentIdentity, AgentPeers } from './agent-peers.ts';
import type { ServerCertificates } from './server-certificates.ts';
import type { TlsAcceptorOptions } from './tls-acceptor.ts';

export interface KafkaTlsOptions extends Omit<TlsAcceptorOptions, 'clock'> {
  /** Whether client certificates are logged. */
  readonly logsCertificates: boolean;
}

/** Listeners of an agent that use TLS; all of them share one certificate. */
export interface AgentTls {
  /** Closed by the caller. */
  readonly certificates: ServerCertificates;
  readonly kafka: Omit<KafkaTlsOptions, 'certificates'> | undefined;
  readonly http: boolean;
  /** The listener of the schema registry. If absent, it is plain text. */
  readonly registry?: Omit<KafkaTlsOptions, 'certificates' | 'logsCertificates'> | undefined;
  /** A separate listener for other agents, with mutual TLS. */
  readonly internal: { readonly port: number; readonly identity: AgentIdentity } | undefined;
}

/** Returns the verifier for connections between agents; `undefined` if they do not use TLS. */
export function peersOf(tls: AgentTls | undefined): AgentPeers | undefined {
  if (tls?.internal !== undefined) return new AgentPeers(tls.certificates, tls.internal.identity);
  if (tls?.http === true)
    return new AgentPeers(tls.certificates, { trustDomain: undefined, workloadId: undefined });
  return undefined;
}
