import { Failure } from '@weir/core';
import type { RegistrySettings } from '@weir/gateway';
import type { SaslSettings } from '@weir/security';
import type { FlagValues } from '../flags/catalogue.ts';
import { resolveSaslMechanisms } from '../rules/sasl.ts';

type SaslValues = Pick<
  FlagValues,
  | 'enabledSASLMechanisms'
  | 'requireSASLAuthentication'
  | 'saslOAuthIssuerURL'
  | 'saslOAuthAudience'
  | 'connectionsMaxReauthMs'
>;

/** The settings of the schema registry that come from flags. */
export function registrySettings(
  values: Pick<
    FlagValues,
    'schemaRegistryPort' | 'schemaRegistryBasicAuthEnabled' | 'schemaRegistryEnableLogRequest'
  >,
): RegistrySettings {
  return {
    port: values.schemaRegistryPort,
    requiresLogin: values.schemaRegistryBasicAuthEnabled,
    logsRequests: values.schemaRegistryEnableLogRequest,
  };
}

/** The SASL settings that come from flags. */
export function saslSettings(values: SaslValues): SaslSettings {
  const mechanisms = resolveSaslMechanisms(values);
  if ('problem' in mechanisms) throw new Failure(mechanisms.problem.rule);
  const { saslOAuthIssuerURL: issuerUrl, saslOAuthAudience: audience } = values;
  const hasOAuth = issuerUrl !== undefined && audience !== undefined;
  return {
    isRequired: values.requireSASLAuthentication,
    passwordMechanisms: mechanisms.value.filter((name) => name !== 'OAUTHBEARER'),
    oauth: hasOAuth ? { issuerUrl, audience } : undefined,
    sessionMsMax: values.connectionsMaxReauthMs,
  };
}
