import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { brokers } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import type { BucketUrl } from '../values/bucket-url.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

/** The source of the server certificate. */
export type CertificateSource =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'files';
      readonly certificatePath: string;
      readonly privateKeyPath: string;
      readonly authoritiesPath: string | undefined;
    }
  | { readonly kind: 'bucket'; readonly bucket: BucketUrl };

/** The flags that enable TLS on a listener. */
const listeners = [
  'kafkaTLS',
  'httpTLS',
  'schemaRegistryTLSEnabled',
  'internalTLS',
] as const satisfies readonly FlagName[];

const internalIds = [
  'internalSpiffeTrustDomain',
  'internalSpiffeWorkloadID',
] as const satisfies readonly FlagName[];

const files = [
  'tlsServerCertFile',
  'tlsServerPrivateKeyFile',
  'tlsClientCACertFile',
] as const satisfies readonly FlagName[];

type Values = Pick<
  FlagValues,
  | (typeof listeners)[number]
  | 'tlsServerCertFile'
  | 'tlsServerPrivateKeyFile'
  | 'tlsClientCACertFile'
  | 'tlsBlobURL'
  | 'requireMTLSAuthentication'
  | 'enableSpiffeAuthentication'
  | (typeof internalIds)[number]
>;

export function resolveCertificate(values: Values): Outcome<CertificateSource, Violation> {
  const {
    tlsServerCertFile: certificatePath,
    tlsServerPrivateKeyFile: privateKeyPath,
    tlsClientCACertFile: authoritiesPath,
    tlsBlobURL: bucket,
  } = values;
  const hasClientTls = values.kafkaTLS || values.schemaRegistryTLSEnabled;
  if (values.requireMTLSAuthentication && !hasClientTls) {
    return forbidden(
      ['requireMTLSAuthentication', 'kafkaTLS'],
      'client certificates need -kafkaTLS or -schemaRegistryTLSEnabled',
    );
  }
  if (values.enableSpiffeAuthentication && !hasClientTls) {
    return forbidden(
      ['enableSpiffeAuthentication', 'kafkaTLS'],
      'SPIFFE ids need -kafkaTLS or -schemaRegistryTLSEnabled',
    );
  }
  const id = internalIds.find((name) => values[name] !== undefined);
  if (id !== undefined && !values.internalTLS) return forbidden([id], 'needs -internalTLS');
  if (bucket !== undefined) {
    const file = files.find((name) => values[name] !== undefined);
    if (file === undefined) return { value: { kind: 'bucket', bucket } };
    return forbidden(['tlsBlobURL', file], 'set TLS files on disk or in a bucket, not both');
  }
  if (certificatePath !== undefined && privateKeyPath !== undefined) {
    return { value: { kind: 'files', certificatePath, privateKeyPath, authoritiesPath } };
  }
  if (certificatePath !== undefined) {
    return forbidden(['tlsServerCertFile'], 'needs -tlsServerPrivateKeyFile');
  }
  if (privateKeyPath !== undefined) {
    return forbidden(['tlsServerPrivateKeyFile'], 'needs -tlsServerCertFile');
  }
  const listener = listeners.find((name) => values[name]);
  if (listener === undefined) return { value: { kind: 'none' } };
  return missing([listener], 'needs -tlsServerCertFile and -tlsServerPrivateKeyFile, or -tlsBlobURL');
}

export const tlsRule: Rule = {
  statement:
    'A TLS listener needs -tlsServerCertFile and -tlsServerPrivateKeyFile, or -tlsBlobURL in their place. ' +
    '-requireMTLSAuthentication and -enableSpiffeAuthentication need -kafkaTLS or -schemaRegistryTLSEnabled, -internalSpiffeTrustDomain and ' +
    '-internalSpiffeWorkloadID need -internalTLS.',
  flags: [
    ...listeners,
    ...files,
    'tlsBlobURL',
    'requireMTLSAuthentication',
    'enableSpiffeAuthentication',
    ...internalIds,
  ],
  commands: brokers,
  check(values) {
    const resolved = resolveCertificate(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
