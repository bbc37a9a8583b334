import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type CertificateOptions, TestCa } from '@weir/security/testing';
import { certificateExpiry } from './certificate-expiry.ts';

const validFrom = new Date(Date.UTC(2026, 0, 1));
const validTo = new Date(Date.UTC(2026, 3, 1));
const ca = await TestCa.create();

const rows: readonly [what: string, options: CertificateOptions, name: RegExp][] = [
  ['its common name', { subject: 'O=Shop, CN=kafka.example', dns: ['other.example'] }, /^kafka\.example$/],
  ['the first of its other names', { dns: ['a.example', 'b.example'] }, /^a\.example$/],
  ['an address', { ips: ['10.0.0.7'] }, /^10\.0\.0\.7$/],
  ['an identity', { uris: ['spiffe://shop/agent'] }, /^spiffe:\/\/shop\/agent$/],
  ['its number where it has no name', { subject: 'O=Shop' }, /^serial number [0-9A-F]+$/],
];

for (const [what, options, name] of rows) {
  test(`a certificate is named by ${what}`, async () => {
    const { certificate } = await ca.issue({ ...options, validFrom, validTo });
    const expiry = certificateExpiry(new X509Certificate(certificate));
    assert.match(expiry.name, name);
    assert.deepEqual([expiry.issuedMs, expiry.expiresMs], [validFrom.getTime(), validTo.getTime()]);
  });
}
