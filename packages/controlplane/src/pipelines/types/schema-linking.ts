import { boolean, count, mapping, oneOf, port, text } from '../schema.ts';

const hostname = text.regex(/^[A-Za-z0-9._:[\]-]{1,255}$/, {
  error: 'is not a name or an address of a host, without a scheme, a port or a path',
});
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: 'is not the name of an environment variable',
});

/** Pipelines that mirror another schema registry. */
export const schemaLinking = mapping({
  source_schema_registry: mapping({
    hostname,
    port,
    basic_auth_username_env: variable.optional(),
    basic_auth_password_env: variable.optional(),
    use_tls: boolean.optional(),
    tls_insecure_skip_verify: boolean.optional(),
  }),
  sync_every_seconds: count.optional(),
  context_type: oneOf(['DEFAULT', 'AUTO', 'CUSTOM', 'NONE']).optional(),
  context: text
    .regex(/^\.?[A-Za-z0-9_-]{1,128}(\.[A-Za-z0-9_-]{1,128})*$/, {
      error: 'is not the name of a context, such as .copy',
    })
    .optional(),
}).refine(({ context_type: type, context }) => (type === 'CUSTOM') === (context !== undefined), {
  error: 'has to be given with context_type CUSTOM, and with no other',
  path: ['context'],
});
