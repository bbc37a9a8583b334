import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContextOptions } from 'node:tls';
import type { Clock, Log, MetricRow, Metrics, Series } from '@weir/core';
import type { TlsMaterial, TlsSource } from './tls-material.ts';
import { type TlsProfileName, tlsProfiles } from './tls-profiles.ts';

interface ServerCertificatesOptions {
  readonly source: TlsSource;
  readonly profile: TlsProfileName;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const certificateRows = {
  reloads: {
    name: 'agent_tls_reload_counter',
    kind: 'counter',
    help: 'Reloads of changed TLS files, by outcome.',
    labels: ['outcome'],
  },
  expiry: {
    name: 'agent_tls_certificate_expiry_seconds',
    kind: 'gauge',
    help: 'Expiry of the server certificate, in seconds since the epoch.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;

/**
 * The last valid certificate, key and authorities of an agent. Changed files are validated first: a key that does not
 * match the certificate, as between two writes, or a file without a certificate leaves the old ones in use.
 */
export class ServerCertificates {
  readonly #options: ServerCertificatesOptions;
  readonly #listeners = new Set<() => void>();
  readonly #reloaded: Series;
  readonly #failed: Series;
  readonly #expiry: Series;
  #material: TlsMaterial;
  #context: SecureContextOptions;
  #certificate: X509Certificate;
  /** The problem of the last read, so that it is logged once. */
  #problem: string | undefined;
  #cancel: () => void = () => {};
  #isClosed = false;

  /** Rejects if the first read fails. */
  static async load(options: ServerCertificatesOptions): Promise<ServerCertificates> {
    return new ServerCertificates(options, await options.source.read());
  }

  private constructor(options: ServerCertificatesOptions, material: TlsMaterial) {
    const { metrics } = options;
    this.#options = options;
    this.#reloaded = metrics.series(certificateRows.reloads, { outcome: 'success' });
    this.#failed = metrics.series(certificateRows.reloads, { outcome: 'error' });
    this.#expiry = metrics.series(certificateRows.expiry, {});
    const { context, certificate } = checkMaterial(material, options.profile);
    this.#material = material;
    this.#context = context;
    this.#certificate = certificate;
    this.#logCertificate();
    this.#schedule();
  }

  /** Current context, for a new listener. */
  get context(): SecureContextOptions {
    return this.#context;
  }

  /** The leaf certificate of the server. */
  get certificate(): X509Certificate {
    return this.#certificate;
  }

  /** What clients of this cluster trust if they trust its agents, in PEM. */
  get trusted(): string {
    const { certificate, authorities = '' } = this.#material;
    return `${certificate}\n${authorities}`;
  }

  get hasAuthorities(): boolean {
    return this.#material.authorities !== undefined;
  }

  /** Calls the listener on every new context. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#listeners.clear();
  }

  #schedule(): void {
    const { clock, source } = this.#options;
    if (!this.#isClosed) this.#cancel = clock.after(source.intervalMs, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    try {
      const material = await this.#options.source.read();
      if (this.#isClosed) return;
      if (!isSame(material, this.#material)) this.#take(material);
      this.#problem = undefined;
    } catch (error) {
      this.#failedWith(error instanceof Error ? error.message : String(error));
    }
    this.#schedule();
  }

  #take(material: TlsMaterial): void {
    const { context, certificate } = checkMaterial(material, this.#options.profile);
    this.#material = material;
    this.#context = context;
    this.#certificate = certificate;
    this.#reloaded.add(1);
    this.#logCertificate();
    for (const listener of this.#listeners) listener();
  }

  #failedWith(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#failed.add(1);
    this.#options.log.error('failed to load TLS files, keeping the previous ones', {
      source: this.#options.source.name,
      error: problem,
    });
  }

  #logCertificate(): void {
    const { log, clock, source } = this.#options;
    const { subject, serialNumber, validToDate } = this.#certificate;
    this.#expiry.set(validToDate.getTime() / 1000);
    const fields = {
      source: source.name,
      subject: subject?.replaceAll('\n', ', '),
      serialNumber,
      validTo: validToDate.toISOString(),
    };
    if (validToDate.getTime() < clock.nowMs()) log.warn('loaded expired server certificate', fields);
    else log.info('loaded server certificate', fields);
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.certificate === b.certificate && a.privateKey === b.privateKey && a.authorities === b.authorities;
}

/** Throws an error that names the invalid file, without its content. */
function checkMaterial(material: TlsMaterial, profile: TlsProfileName) {
  const [certificate] = certificatesIn('server certificate', material.certificate);
  const key = attempt('server private key', () => createPrivateKey(material.privateKey));
  if (!certificate!.checkPrivateKey(key)) {
    throw new Error('private key does not match the server certificate');
  }
  if (material.authorities !== undefined) {
    certificatesIn('CA file', material.authorities);
  }
  const context: SecureContextOptions = {
    ...tlsProfiles[profile],
    cert: material.certificate,
    key: material.privateKey,
    ca: material.authorities ?? systemAuthorities(),
  };
  attempt('TLS configuration', () => createSecureContext(context));
  return { context, certificate: certificate! };
}

const pemPattern = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED )?CERTIFICATE-----/g;

/**
 * Requires at least one certificate: the runtime takes an empty file of authorities as trust in all public authorities.
 */
function certificatesIn(what: string, pem: string): X509Certificate[] {
  const found = pem.match(pemPattern) ?? [];
  if (found.length === 0) throw new Error(`${what} has no PEM certificate`);
  return found.map((one) => attempt(what, () => new X509Certificate(one)));
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new Error(`${what} is invalid: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Falls back to the authorities bundled with the runtime if the system has none. */
function systemAuthorities(): string[] {
  const system = getCACertificates('system');
  return system.length > 0 ? system : getCACertificates('bundled');
}
