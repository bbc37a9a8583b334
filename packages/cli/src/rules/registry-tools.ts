import type { FlagValues } from '../flags/catalogue.ts';
import { bucketDecoders, registryTools } from '../flags/rows/takers.ts';
import { isHttps, resolveClientTls } from './client-tls.ts';
import { forbidden, missing, type Rule } from './rule.ts';

const tlsFiles = ['tlsServerCACertFile', 'tlsClientCertFile', 'tlsClientPrivateKeyFile'] as const;

type TlsValues = Pick<FlagValues, 'schemaRegistryURL' | 'tlsSkipVerify' | (typeof tlsFiles)[number]>;

/** With the flags for TLS that the connection to the registry takes. */
export function registryTlsValues<Values extends TlsValues>(
  values: Values,
): Values & { readonly tls: boolean } {
  return { ...values, tls: isHttps(values.schemaRegistryURL) };
}

export const registryToolsRule: Rule = {
  statement:
    'Schema registry tools, file-reader and diagnose-record use TLS if -schemaRegistryURL starts with https, ' +
    'and accept TLS files only then. ' +
    'describe-schema needs one of -subject, -schema-id and -schema-guid; -force needs -schema-mode.',
  flags: [
    'schemaRegistryURL',
    ...tlsFiles,
    'tlsSkipVerify',
    'subject',
    'schema-id',
    'schema-guid',
    'schema-version',
    'schema-mode',
    'force',
  ],
  commands: [...registryTools, ...bucketDecoders],
  check(values, command) {
    const withTls = registryTlsValues(values);
    if (!withTls.tls) {
      const file = tlsFiles.find((name) => values[name] !== undefined);
      const flag = file ?? (values.tlsSkipVerify ? 'tlsSkipVerify' : undefined);
      if (flag !== undefined)
        return forbidden([flag], 'needs an https:// address in -schemaRegistryURL').problem;
    }
    const tls = resolveClientTls(withTls);
    if ('problem' in tls) return tls.problem;
    if (command === 'cli describe-schema') return describedRule(values);
    if (command === 'cli schema-config' && values.force && values['schema-mode'] === undefined)
      return forbidden(['force'], 'needs -schema-mode').problem;
    return undefined;
  },
};

function describedRule(values: FlagValues) {
  const { subject, 'schema-id': id, 'schema-guid': guid, 'schema-version': version } = values;
  if (subject === undefined && id === undefined && guid === undefined)
    return missing(['subject'], 'is required, or -schema-id, or -schema-guid').problem;
  if (guid !== undefined && id !== undefined)
    return forbidden(['schema-guid', 'schema-id'], 'set one of them').problem;
  if (guid !== undefined && subject !== undefined)
    return forbidden(['schema-guid', 'subject'], 'set one of them').problem;
  if (version !== undefined && (id !== undefined || guid !== undefined))
    return forbidden(['schema-version', id === undefined ? 'schema-guid' : 'schema-id'], 'set one of them')
      .problem;
  return undefined;
}
