import { isSecretReference } from '@weir/core';
import { boolean, count, mapping, oneOf, port, text } from '@weir/pipelines/yaml-schema';

const hostname = text.regex(/^[A-Za-z0-9._:[\]-]{1,255}$/, {
  error: 'is not a name or an address of a host, without a scheme, a port or a path',
});
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: 'is not the name of an environment variable',
});

const user = text.max(256);
/** Not the password itself: configurations are kept, compared and copied. */
const password = text.refine(isSecretReference, {
  error: `is not a reference to a secret; create one with create_secret, and write \${secret:NAME} here`,
});

/** Pipelines that mirror another schema registry. */
export const schemaLinking = mapping({
  source_schema_registry: mapping({
    hostname,
    port,
    basic_auth_username: user.optional(),
    basic_auth_password: password.optional(),
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
})
  .refine(
    ({ source_schema_registry: source }) =>
      !isTwice(source.basic_auth_username, source.basic_auth_username_env),
    {
      error: 'is given in two ways',
      path: ['source_schema_registry', 'basic_auth_username'],
    },
  )
  .refine(
    ({ source_schema_registry: source }) =>
      !isTwice(source.basic_auth_password, source.basic_auth_password_env),
    {
      error: 'is given in two ways',
      path: ['source_schema_registry', 'basic_auth_password'],
    },
  )
  .refine(({ context_type: type, context }) => (type === 'CUSTOM') === (context !== undefined), {
    error: 'is required with context_type CUSTOM, and with no other',
    path: ['context'],
  });

function isTwice(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined;
}
