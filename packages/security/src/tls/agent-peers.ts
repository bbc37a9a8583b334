import type { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { certificateNames } from './certificate-names.ts';
import type { ServerCertificates } from './server-certificates.ts';
import { spiffeIdOf } from './spiffe-id.ts';

/** Required parts of the SPIFFE id of an agent; `undefined` allows any value. */
export interface AgentIdentity {
  readonly trustDomain: string | undefined;
  readonly workloadId: string | undefined;
}

/**
 * Verifies certificates between agents, in both directions. The issuing authority must be trusted. If a SPIFFE id is
 * required, it decides. Otherwise, the certificate of a called agent must name the host, or share a host name with the
 * own certificate, as certificates of one service do when agents are reached by address. A calling agent needs no
 * matching name: the signature of its request authorizes it.
 */
export class AgentPeers {
  readonly #certificates: ServerCertificates;
  readonly #identity: AgentIdentity;

  constructor(certificates: ServerCertificates, identity: AgentIdentity) {
    this.#certificates = certificates;
    this.#identity = identity;
  }

  /** Options of a connection to another agent, with the current certificates. */
  connectOptions(): ConnectionOptions {
    return {
      ...this.#certificates.context,
      rejectUnauthorized: true,
      checkServerIdentity: (host, certificate) => {
        const problem = this.#problemOfCalled(host, certificate);
        return problem === undefined ? undefined : new Error(problem);
      },
    };
  }

  /** Returns the problem with the certificate of a calling agent. */
  problemOfCaller({ raw }: X509Certificate): string | undefined {
    return problemOf(() => this.#problemOfId(raw));
  }

  #problemOfCalled(host: string, certificate: PeerCertificate): string | undefined {
    return problemOf(() => {
      if (this.#demandsId) return this.#problemOfId(certificate.raw);
      const mismatch = checkServerIdentity(host, certificate);
      if (mismatch === undefined) return undefined;
      const ours = new Set(certificateNames(this.#certificates.certificate.raw).hosts);
      const isOfOurService = certificateNames(certificate.raw).hosts.some((name) => ours.has(name));
      return isOfOurService ? undefined : mismatch.message;
    });
  }

  get #demandsId(): boolean {
    return this.#identity.trustDomain !== undefined || this.#identity.workloadId !== undefined;
  }

  #problemOfId(der: Buffer): string | undefined {
    if (!this.#demandsId) return undefined;
    const { trustDomain, workloadId } = this.#identity;
    const found = spiffeIdOf(certificateNames(der).uris);
    if ('problem' in found) return found.problem;
    if (found.id === undefined) return 'certificate has no SPIFFE id';
    if (trustDomain !== undefined && found.id.trustDomain !== trustDomain) {
      return `certificate has trust domain ${found.id.trustDomain}, expected ${trustDomain}`;
    }
    if (workloadId !== undefined && found.id.workloadId !== workloadId) {
      return `certificate has workload id ${found.id.workloadId}, expected ${workloadId}`;
    }
    return undefined;
  }
}

/** Reports a certificate that cannot be parsed as a problem. */
function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return `certificate cannot be parsed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
