import type { SecureContextOptions } from 'node:tls';

const tlsProfileNames = ['golang-default', 'old', 'intermediate', 'modern'] as const;
export type TlsProfileName = (typeof tlsProfileNames)[number];

type Profile = Pick<
  SecureContextOptions,
  'minVersion' | 'ciphers' | 'ecdhCurve' | 'dhparam' | 'honorCipherOrder'
>;

const tls13Ciphers = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

const tls12Ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-CHACHA20-POLY1305',
];

const oldCiphers = [
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-RSA-AES128-SHA256',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-RSA-AES256-SHA384',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'DHE-RSA-AES128-SHA256',
  'DHE-RSA-AES256-SHA256',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA256',
  'AES256-SHA256',
  'AES128-SHA',
  'AES256-SHA',
];

const curves = 'X25519:P-256:P-384';

/** OpenSSL needs this to sign as TLS 1.0 and 1.1 do. */
const weakSignatures = '@SECLEVEL=0';

/**
 * TLS versions and ciphers of a listener: Mozilla's server-side profiles, and the default of the runtime
 * (`golang-default`). If all ciphers are strong, the client chooses, because it knows which ones its CPU accelerates.
 */
export const tlsProfiles: Readonly<Record<TlsProfileName, Profile>> = {
  'golang-default': { minVersion: 'TLSv1.2' },
  old: {
    minVersion: 'TLSv1',
    ciphers: [...tls13Ciphers, ...tls12Ciphers, ...oldCiphers, weakSignatures].join(':'),
    ecdhCurve: curves,
    dhparam: 'auto',
    honorCipherOrder: true,
  },
  intermediate: {
    minVersion: 'TLSv1.2',
    ciphers: [...tls13Ciphers, ...tls12Ciphers].join(':'),
    ecdhCurve: curves,
    dhparam: 'auto',
    honorCipherOrder: false,
  },
  modern: {
    minVersion: 'TLSv1.3',
    ciphers: tls13Ciphers.join(':'),
    ecdhCurve: curves,
    honorCipherOrder: false,
  },
};
