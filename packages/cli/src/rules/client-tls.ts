import type { CommandName } from '../commands/catalogue.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { kafkaClients } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

const files = [
  'tlsServerCACertFile',
  'tlsClientCertFile',
  'tlsClientPrivateKeyFile',
] as const satisfies readonly FlagName[];

/** The files of a TLS client. */
export interface ClientTlsFiles {
  readonly authoritiesPath: string | undefined;
  readonly certificatePath: string | undefined;
  readonly privateKeyPath: string | undefined;
  readonly skipsVerification: boolean;
}

type Values = Pick<FlagValues, 'tls' | 'tlsSkipVerify' | (typeof files)[number]>;

/** Returns `undefined` for a plain connection. */
export function resolveClientTls(values: Values): Outcome<ClientTlsFiles | undefined, Violation> {
  const { tlsClientCertFile: certificatePath, tlsClientPrivateKeyFile: privateKeyPath } = values;
  if (!values.tls) {
    const file = files.find((name) => values[name] !== undefined);
    if (file !== undefined) return forbidden([file], 'needs -tls');
    if (values.tlsSkipVerify) return forbidden(['tlsSkipVerify'], 'needs -tls');
    return { value: undefined };
  }
  if (certificatePath !== undefined && privateKeyPath === undefined) {
    return forbidden(['tlsClientCertFile'], 'needs -tlsClientPrivateKeyFile');
  }
  if (certificatePath === undefined && privateKeyPath !== undefined) {
    return forbidden(['tlsClientPrivateKeyFile'], 'needs -tlsClientCertFile');
  }
  const { tlsServerCACertFile: authoritiesPath, tlsSkipVerify: skipsVerification } = values;
  if (skipsVerification && authoritiesPath !== undefined) {
    return forbidden(['tlsSkipVerify', 'tlsServerCACertFile'], 'the file would not be used; set one of them');
  }
  return { value: { authoritiesPath, certificatePath, privateKeyPath, skipsVerification } };
}

function takesRegistry(command: CommandName): boolean {
  return command === 'kcmd' || command === 'cli fetch' || command === 'cli produce';
}

/** The URL of a registry says whether the connection to it is over TLS. */
export function isHttps(url: string): boolean {
  return url.toLowerCase().startsWith('https:');
}

export const clientTlsRule: Rule = {
  statement:
    '-tlsServerCACertFile, -tlsClientCertFile, -tlsClientPrivateKeyFile and -tlsSkipVerify need -tls, or for kcmd, fetch and ' +
    'produce an https:// address in -schemaRegistryURL. -tlsClientCertFile and -tlsClientPrivateKeyFile need each other; ' +
    '-tlsServerCACertFile and -tlsSkipVerify exclude each other.',
  flags: ['tls', ...files, 'tlsSkipVerify', 'schemaRegistryURL'],
  commands: kafkaClients,
  check(values, command) {
    const isOfRegistry = takesRegistry(command) && isHttps(values.schemaRegistryURL);
    const resolved = resolveClientTls(isOfRegistry ? { ...values, tls: true } : values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
