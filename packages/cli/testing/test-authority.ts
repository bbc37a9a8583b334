import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate and its key as PEM, with the names that Node's servers use. */
interface TestIdentity {
  readonly cert: string;
  readonly key: string;
}

/** The names and the validity. Without dates it is valid for longer than any test runs. */
interface IdentityOptions {
  readonly name?: string;
  readonly dns?: readonly string[];
  /** Days, such as `2020-01-01`. */
  readonly validFrom?: string;
  readonly validTo?: string;
}

const longAgo = '2020-01-01';
const longAhead = '2049-01-01';

/** A certificate authority that no client trusts unless a test configures it. */
export class TestAuthority {
  /** Its certificate, as PEM. */
  readonly pem: string;
  readonly #name: string;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(name: string, keys: webcrypto.CryptoKeyPair, pem: string) {
    this.#name = name;
    this.#keys = keys;
    this.pem = pem;
  }

  static async create(name: string): Promise<TestAuthority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      notBefore: beginOf(longAgo),
      notAfter: beginOf(longAhead),
      keys,
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(name, keys, certificate.toString('pem'));
  }

  async issue({ name = 'localhost', dns = ['localhost'], validFrom, validTo }: IdentityOptions = {}) {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: `CN=${this.#name}`,
      notBefore: beginOf(validFrom ?? longAgo),
      notAfter: beginOf(validTo ?? longAhead),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension(dns.map((value) => ({ type: 'dns', value })))],
    });
    const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    return { cert: certificate.toString('pem'), key } satisfies TestIdentity;
  }
}

function beginOf(day: string): Date {
  return new Date(day);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}
