import { boolean, count, mapping, oneOf, port, text } from '../schema.ts';

/** Pipelines that mirror another schema registry. */
export const schemaLinking = mapping({
  source_schema_registry: mapping({
    hostname: text,
    port,
    basic_auth_username_env: text.optional(),
    basic_auth_password_env: text.optional(),
    use_tls: boolean.optional(),
    tls_insecure_skip_verify: boolean.optional(),
  }),
  sync_every_seconds: count.optional(),
  context_type: oneOf(['DEFAULT', 'AUTO', 'CUSTOM', 'NONE']).optional(),
});
