import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { type Field, object, type Values } from './field.ts';
import { bool, list, string } from './field-types.ts';

const certificate = object('A certificate and its key, as PEM or as files.', {
  cert: string('The certificate in PEM.').or(''),
  key: string('The key in PEM.').or('').secret(),
  cert_file: string('The file of the certificate.').or('').localOnly(),
  key_file: string('The file of the key.').or('').localOnly(),
  password: string('The password of the key.').or('').secret(),
});

const fields = {
  enabled: bool('Whether these settings are used.').or(false),
  skip_cert_verify: bool('Whether any certificate of the server is accepted.').or(false).advanced(),
  enable_renegotiation: bool('Whether the server may ask for another handshake.')
    .or(false)
    .advanced()
    .withoutEffect('servers always may, and TLS 1.3 has no other handshake'),
  root_cas: string('Certificate authorities in PEM, instead of the public ones.').or('').secret().advanced(),
  root_cas_file: string('A file of certificate authorities.').or('').localOnly().advanced(),
  client_certs: list('Certificates to present.', certificate).or([]).advanced(),
};

export type TlsValues = Values<typeof fields>;

/** TLS of a connection to a server. */
export function tls(about: string): Field<TlsValues> {
  return object(about, fields);
}

export interface TlsOptions extends SecureContextOptions {
  readonly rejectUnauthorized: boolean;
}

/** As Node takes them; `undefined` if the settings are not enabled. */
export async function tlsOptionsOf(values: TlsValues): Promise<TlsOptions | undefined> {
  if (!values.enabled) return undefined;
  const ca = await pemOf(values.root_cas, values.root_cas_file);
  const certificates = await Promise.all(
    values.client_certs.map(async ({ cert, cert_file, key, key_file, password }) => ({
      cert: await pemOf(cert, cert_file),
      key: { pem: await pemOf(key, key_file), ...(password !== '' && { passphrase: password }) },
    })),
  );
  return {
    rejectUnauthorized: !values.skip_cert_verify,
    ...(ca !== '' && { ca }),
    ...(certificates.length > 0 && {
      cert: certificates.map(({ cert }) => cert),
      key: certificates.map(({ key }) => key),
    }),
  };
}

async function pemOf(pem: string, file: string): Promise<string> {
  return pem === '' && file !== '' ? readFile(file, 'utf8') : pem;
}
