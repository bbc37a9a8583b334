import { boolean, mapping, oneOf, port, text } from './schema.ts';

/** An external Kafka cluster that a pipeline reads from. */

export const broker = mapping({ hostname: text, port });

/** How to authenticate. Secrets are in the environment of the agents; this has the names of the variables. */
export const kafkaCredentials = mapping({
  sasl_username_env: text,
  sasl_password_env: text,
  sasl_mechanism: oneOf(['plain', 'scram-256', 'scram-512']),
  use_tls: boolean,
  tls_insecure_skip_verify: boolean,
  tls_ca_cert_env: text,
  mtls_client_cert_env: text,
  mtls_client_key_env: text,
}).partial();
