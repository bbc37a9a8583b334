import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto);

/** A certificate with its key, as PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificateOptions {
  /** In the order of the encoding, which RFC 2253 prints backwards; empty by default. */
  readonly subject?: string | JsonName;
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  readonly uris?: readonly string[];
  readonly validFrom?: Date;
  readonly validTo?: Date;
  /** RSA for tests that need what elliptic curves do not support. */
  readonly key?: 'P-256' | 'RSA';
}

const algorithms = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const;

/** Covers the time of all tests. */
const always = { from: new Date(Date.UTC(2020, 0, 1)), to: new Date(Date.UTC(2049, 0, 1)) };

/** A certificate authority for tests. */
export class TestCa {
  readonly certificate: string;
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #name: string;
  #serial = 1;

  private constructor(name: string, keys: webcrypto.CryptoKeyPair, certificate: string) {
    this.#name = name;
    this.#keys = keys;
    this.certificate = certificate;
  }

  static async create(name = 'CN=Test Authority'): Promise<TestCa> {
    const keys = await keyPair('P-256');
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name,
      notBefore: always.from,
      notAfter: always.to,
      keys,
      signingAlgorithm: algorithms['P-256'],
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    });
    return new TestCa(name, keys, certificate.toString('pem'));
  }

  async issue(options: CertificateOptions = {}): Promise<TestCertificate> {
    const { subject = [], dns = [], ips = [], uris = [], key = 'P-256' } = options;
    const keys = await keyPair(key);
    const names = [
      ...dns.map((value) => ({ type: 'dns' as const, value })),
      ...ips.map((value) => ({ type: 'ip' as const, value })),
      ...uris.map((value) => ({ type: 'url' as const, value })),
    ];
    const certificate = await X509CertificateGenerator.create({
      serialNumber: (++this.#serial).toString(16).padStart(4, '0'),
      subject,
      issuer: this.#name,
      notBefore: options.validFrom ?? always.from,
      notAfter: options.validTo ?? always.to,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithms['P-256'],
      // Without a subject the alternative names are the only identity, so the extension must be critical.
      extensions:
        names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names, subject.length === 0)],
    });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    return {
      certificate: certificate.toString('pem'),
      privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
    };
  }

  /** Issues a certificate for a local server. */
  issueServer(options: CertificateOptions = {}): Promise<TestCertificate> {
    return this.issue({ subject: 'CN=localhost', dns: ['localhost'], ips: ['127.0.0.1'], ...options });
  }
}

function keyPair(key: keyof typeof algorithms): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithms[key], true, [
    'sign',
    'verify',
  ]) as Promise<webcrypto.CryptoKeyPair>;
}
