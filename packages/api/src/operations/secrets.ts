import { coreLimits, secretNamePattern, secretNameRule } from '@weir/core';
import * as z from 'zod';
import { examples, flag, list, text, time, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const secretName = () => word(secretNamePattern, 64, secretNameRule);

/** May have several lines, as a key of TLS has. */
const value = () =>
  z
    .string()
    .min(1)
    .max(coreLimits.secretBytesMax)
    .refine((found) => !/[^\t\n\r\P{Cc}]|\p{Cs}/u.test(found), {
      error: 'has control characters or broken Unicode',
    })
    .refine((found) => new TextEncoder().encode(found).length <= coreLimits.secretBytesMax, {
      error: `has more than ${coreLimits.secretBytesMax} bytes`,
    })
    .meta({ format: 'password', writeOnly: true });

const allowsExporters =
  'Whether exporters of the schema registry may refer to it. Clients that may alter the registry can then send the secret to a destination of their choice.';

const secret = z
  .object({
    id: id('secret').describe('The secret.'),
    name: text(64).describe('Its name, by which configurations refer to it.'),
    version: z.int().min(1).describe('The version of its value, starting at 1.'),
    allows_exporters: z.boolean().describe(allowsExporters),
    created_at: time().describe('When it was created.'),
    created_by: text(apiLimits.emailCharsMax).describe(
      'Who created it: an e-mail address or the name of an API key.',
    ),
    updated_at: time().describe('When its value or settings were last changed.'),
    updated_by: text(apiLimits.emailCharsMax).describe('Who changed it.'),
    used_by: list(text(256), apiLimits.pipelinesPerClusterMax).describe(
      'The pipelines whose deployed or newest configuration refers to it, by name.',
    ),
  })
  .meta({ id: 'Secret', description: 'A named secret, without its value.' });

const target = {
  secret_name: secretName().describe('The name of the secret.'),
};
const exampleTarget = { secret_name: 'registry-password' };

export const secretOperations = [
  defineClusterOperation({
    name: 'list_secrets',
    title: 'List secrets',
    summary: 'List the named secrets of a virtual cluster, without their values.',
    output: z.object({
      secrets: list(secret, apiLimits.secretsPerClusterMax).describe('The secrets by name.'),
    }),
    example: {
      output: {
        secrets: [
          {
            id: examples.secret,
            name: 'registry-password',
            version: 2,
            allows_exporters: false,
            created_at: examples.time,
            created_by: 'ada@example.com',
            updated_at: examples.time,
            updated_by: 'ada@example.com',
            used_by: ['mirror'],
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'create_secret',
    title: 'Create a secret',
    summary: 'Create a named secret for configurations of the cluster to refer to.',
    description: `A configuration of a pipeline refers to it as \`\${secret:NAME}\`. The value is sealed in the database and never read back: agents get it with the job whose configuration refers to it. Who may change pipelines of the cluster may use its secrets.`,
    input: clusterInput({
      secret_name: secretName().describe('The name, unique in the cluster.'),
      secret: value().describe('The value.'),
      allows_exporters: flag(allowsExporters),
    }),
    output: z.object({ secret_id: id('secret').describe('The secret.') }),
    errors: ['duplicate_name', 'limit_exceeded', 'no_sealing_keys'],
    example: {
      input: { ...exampleTarget, secret: 'correct horse battery' },
      output: { secret_id: examples.secret },
    },
  }),
  defineClusterOperation({
    name: 'update_secret',
    title: 'Rotate a secret',
    summary: 'Replace the value of a secret, or change who may refer to it.',
    description:
      'Omitted fields are unchanged. Jobs that use the previous value restart with the new one within seconds.',
    input: clusterInput({
      ...target,
      secret: value().optional().describe('The new value.'),
      allows_exporters: z.boolean().optional().describe(allowsExporters),
    }).refine((given) => given.secret !== undefined || given.allows_exporters !== undefined, {
      error: 'secret or allows_exporters is required',
    }),
    output: z.object({ version: z.int().min(1).describe('The version of its value.') }),
    errors: ['no_sealing_keys'],
    example: {
      input: { ...exampleTarget, secret: 'staple battery horse' },
      output: { version: 2 },
    },
  }),
  defineClusterOperation({
    name: 'delete_secret',
    title: 'Delete a secret',
    summary: 'Delete a secret that no configuration refers to. It cannot be restored.',
    description:
      'A secret is in use while the deployed or the newest configuration of a pipeline, or an exporter, refers to it. Older configurations that refer to a deleted secret cannot be deployed again.',
    input: clusterInput(target),
    errors: ['secret_in_use'],
    example: { input: exampleTarget },
  }),
] as const;
