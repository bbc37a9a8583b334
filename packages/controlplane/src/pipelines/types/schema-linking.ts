import { boolean, count, mapping, oneOf, port, required, text } from '../shape.ts';

/** Pipelines that mirror another schema registry. */
export const schemaLinking = mapping({
  source_schema_registry: required(
    mapping({
      hostname: required(text),
      port: required(port),
      basic_auth_username_env: text,
      basic_auth_password_env: text,
      use_tls: boolean,
      tls_insecure_skip_verify: boolean,
    }),
  ),
  sync_every_seconds: count,
  context_type: oneOf('DEFAULT', 'AUTO', 'CUSTOM', 'NONE'),
});
