import type { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { certificateNames } from './certificate-names.ts';
import type { ServerCertificates } from './server-certificates.ts';
import { spiffeIdOf } from './spiffe-id.ts';

/** What the SPIFFE id of an agent must be; what is `undefined` may be anything. */
export interface AgentIdentity {
  readonly trustDomain: string | undefined;
  readonly workloadId: string | undefined;
}

/**
 * How agents recognise each other by their certificates, in both directions. The authority must be one that this agent trusts. Beyond
 * that, a SPIFFE id is what counts where one is demanded. Where none is, an agent that is called must be whom we called: its
 * certificate names the host, or shares a name with ours, as the certificates of one service do when they are reached by address. An
 * agent that calls need not: what it may have is for the signature of its request to say.
 */
export class AgentPeers {
  readonly #certificates: ServerCertificates;
  readonly #identity: AgentIdentity;

  constructor(certificates: ServerCertificates, identity: AgentIdentity) {
    this.#certificates = certificates;
    this.#identity = identity;
  }

  /** For a connection to another agent, with the certificates of this moment. */
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

  /** What is wrong with the certificate of somebody who calls. */
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
    if (found.id === undefined) return 'the certificate has no SPIFFE id';
    if (trustDomain !== undefined && found.id.trustDomain !== trustDomain) {
      return `the certificate is of the trust domain ${found.id.trustDomain}, not of ${trustDomain}`;
    }
    if (workloadId !== undefined && found.id.workloadId !== workloadId) {
      return `the certificate is of the workload ${found.id.workloadId}, not of ${workloadId}`;
    }
    return undefined;
  }
}

/** A certificate that cannot be read is nobody's. */
function problemOf(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    return `the certificate cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
