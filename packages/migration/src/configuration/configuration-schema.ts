import { isSecretReference } from '@weir/core';
import { boolean, broker, count, filledList, mapping, oneOf, text } from '@weir/pipelines/yaml-schema';
import { sourceMechanisms } from '../source/source-credentials.ts';

/** A name without the prefix that agents add. */
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,119}$/, {
  error: 'is not the name of an environment variable',
});
const user = text.max(256, { error: 'has more than 256 characters' });
/** Not the secret itself: configurations are kept, compared and copied. */
const secret = text.refine(isSecretReference, {
  error: `is not a reference to a secret; create one with create_secret, and write \${secret:NAME} here`,
});
/** Certificates are no secrets, but long. */
const certificate = text.max(200_000, { error: 'has more than 200000 characters' });
const prefix = text.regex(/^[A-Za-z0-9._-]{0,200}$/, {
  error: 'is not up to 200 letters, digits, dots, underscores and hyphens',
});
const region = text.regex(/^[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/, {
  error: 'is not a region of AWS, such as eu-west-1',
});

/** How agents log in. A value is given as the name of a variable of the agents, or as a named secret. */
const credentials = mapping({
  sasl_mechanism: oneOf(sourceMechanisms),
  sasl_username_env: variable,
  sasl_username: user,
  sasl_password_env: variable,
  sasl_password: secret,
  aws_session_token_env: variable,
  aws_session_token: secret,
  aws_region: region,
  use_tls: boolean,
  tls_insecure_skip_verify: boolean,
  tls_ca_cert_env: variable,
  tls_ca_cert: certificate,
  mtls_client_cert_env: variable,
  mtls_client_cert: certificate,
  mtls_client_key_env: variable,
  mtls_client_key: secret,
}).partial();

const topicMapping = mapping({
  source_regex: text,
  destination_prefix: prefix.optional(),
  begin_fetch_at_latest_offset: boolean.optional(),
  irreversible_disable_orbit_management: boolean.optional(),
  follow_topic_deletions: boolean.optional(),
  auto_migration: mapping({ enabled: boolean, timeout: text }).partial().optional(),
});

/** Pipelines that copy another Kafka cluster with its offsets. */
export const migrationConfiguration = mapping({
  source_bootstrap_brokers: filledList(broker),
  source_cluster_credentials: credentials.optional(),
  topic_mappings: filledList(topicMapping),
  cluster_config: mapping({ copy_source_cluster_configuration: boolean }).partial().optional(),
  acls: mapping({ copy_enabled: boolean }).partial().optional(),
  consumer_groups: mapping({ copy_offsets_enabled: boolean, destination_group_prefix: prefix })
    .partial()
    .optional(),
  service: mapping({
    cluster_fetch_concurrency: count,
    fetch_config: mapping({
      fetch_max_bytes: count,
      fetch_max_partition_bytes: count,
      fetch_max_bytes_per_second: count,
    }).partial(),
  })
    .partial()
    .optional(),
});

export type MigrationFields = ReturnType<(typeof migrationConfiguration)['parse']>;
export type CredentialFields = NonNullable<MigrationFields['source_cluster_credentials']>;
export type MappingFields = MigrationFields['topic_mappings'][number];
