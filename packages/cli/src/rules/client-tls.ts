import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { kafkaClients } from '../flags/rows/takers.ts';
import type { Outcome } from '../outcome.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

const files = [
  'tlsServerCACertFile',
  'tlsClientCertFile',
  'tlsClientPrivateKeyFile',
] as const satisfies readonly FlagName[];

/** The files of a client that speaks TLS. */
export interface ClientTlsFiles {
  readonly authoritiesPath: string | undefined;
  readonly certificatePath: string | undefined;
  readonly privateKeyPath: string | undefined;
}

type Values = Pick<FlagValues, 'tls' | (typeof files)[number]>;

/** Gives `undefined` for a plain connection. */
export function resolveClientTls(values: Values): Outcome<ClientTlsFiles | undefined, Violation> {
  const { tlsClientCertFile: certificatePath, tlsClientPrivateKeyFile: privateKeyPath } = values;
  if (!values.tls) {
    const file = files.find((name) => values[name] !== undefined);
    return file === undefined ? { value: undefined } : forbidden([file], 'only goes together with -tls');
  }
  if (certificatePath !== undefined && privateKeyPath === undefined) {
    return forbidden(['tlsClientCertFile'], 'only goes together with -tlsClientPrivateKeyFile');
  }
  if (certificatePath === undefined && privateKeyPath !== undefined) {
    return forbidden(['tlsClientPrivateKeyFile'], 'only goes together with -tlsClientCertFile');
  }
  return { value: { authoritiesPath: values.tlsServerCACertFile, certificatePath, privateKeyPath } };
}

export const clientTlsRule: Rule = {
  statement:
    '-tlsServerCACertFile, -tlsClientCertFile and -tlsClientPrivateKeyFile need -tls, and the last two go together.',
  flags: ['tls', ...files],
  commands: kafkaClients,
  check(values) {
    const resolved = resolveClientTls(values);
    return 'problem' in resolved ? resolved.problem : undefined;
  },
};
