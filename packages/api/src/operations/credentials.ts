import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { examples, flag, integer, list, secret, secretField, text, time, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const credential = z
  .object({
    id: id('credential').describe('The id of the credential.'),
    name: text(132).describe('Its name, with `ccn_`.'),
    username: text(coreLimits.principalNameCharsMax).describe('The username that clients log in with.'),
    created_at: time().describe('When it was created.'),
    is_cluster_superuser: z.boolean().describe('Whether it is a superuser, to whom no ACL applies.'),
    read_only: z.boolean().describe('Whether it is read-only; only for schema registry clusters.'),
    last_used_at: time()
      .nullable()
      .describe(
        'The last known login, or `null` for never. After a restart of the control plane it can be up to a day old.',
      ),
    password_created_at: time()
      .nullable()
      .describe('When its password was set. `null` without a password, or if an earlier release set it.'),
    old_password: z
      .object({
        created_at: time().nullable().describe('When it was set. `null` if an earlier release set it.'),
        ends_at: time().describe('When it ends.'),
        last_used_at: time()
          .nullable()
          .describe(
            'The last known login with it since the rotation, or `null` for none. After a restart of the control plane it can be up to an hour old.',
          ),
      })
      .nullable()
      .describe('The password that a rotation replaced, while it is accepted. `null` without one.'),
  })
  .meta({ id: 'Credential', description: 'A credential of Kafka clients, without its password.' });

const importedPassword = () =>
  secret(1, apiLimits.passwordCharsMax)
    .nullish()
    .transform((password) => password ?? undefined)
    .describe('A password to use instead of a generated one.');

export const credentialOperations = [
  defineClusterOperation({
    name: 'list_virtual_cluster_credentials',
    title: 'List credentials',
    summary: 'List the credentials of a virtual cluster, without their passwords.',
    output: z.object({
      credentials: list(credential, coreLimits.credentialsMax).describe('The credentials by name.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        credentials: [
          {
            id: examples.credential,
            name: 'ccn_shop',
            username: 'ccun_5f0c1b2a',
            created_at: examples.time,
            is_cluster_superuser: false,
            read_only: false,
            last_used_at: examples.time,
            password_created_at: examples.time,
            old_password: null,
          },
        ],
      },
    },
  }),
  defineClusterOperation({
    name: 'create_virtual_cluster_credentials',
    title: 'Create a credential',
    summary: 'Create a username and a password for clients, and return the password once.',
    input: clusterInput({
      credentials_name: word(
        /^[a-zA-Z0-9_.-]{1,132}$/,
        132,
        'is not 1 to 128 letters, digits, dots, underscores and hyphens',
      ).describe('The name, unique in the cluster, with or without `ccn_`.'),
      is_cluster_superuser: flag('Whether it is a superuser, to whom no ACL applies.'),
      read_only: flag(
        'Whether it is read-only. Only for schema registry clusters, and not with `is_cluster_superuser`.',
      ),
      imported_password: importedPassword(),
    }).refine(({ is_cluster_superuser, read_only }) => !(is_cluster_superuser && read_only), {
      error: 'is_cluster_superuser and read_only cannot both be true',
    }),
    output: z.object({
      id: id('credential').describe('The credential.'),
      username: text(coreLimits.principalNameCharsMax).describe('The username that clients log in with.'),
      password: secretField(apiLimits.passwordCharsMax).describe('The password. It is returned only here.'),
    }),
    errors: ['duplicate_name', 'limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { credentials_name: 'shop', is_cluster_superuser: false },
      output: { id: examples.credential, username: 'ccun_5f0c1b2a', password: 'ccp_example_only' },
    },
  }),
  defineClusterOperation({
    name: 'rotate_virtual_cluster_credentials',
    title: 'Rotate a password',
    summary: 'Set a new password of a credential, return it once, and accept the old one for some more time.',
    description:
      'User name, name and ACLs stay. Both passwords work until the old one ends, with PLAIN, SCRAM and HTTP. Connections that logged in with the old one stay until they log in again, which `-connectionsMaxReauthMs` of agents can demand.',
    input: clusterInput({
      id: id('credential').describe(
        'The credential. Those of `-saslCredentialsFile` are changed in that file.',
      ),
      overlap_seconds: integer(0, coreLimits.passwordOverlapSecondsMax)
        .default(apiLimits.passwordOverlapSeconds)
        .describe('How long the old password is accepted; 0 ends it at once.'),
      imported_password: importedPassword(),
    }),
    output: z.object({
      id: id('credential').describe('The credential.'),
      username: text(coreLimits.principalNameCharsMax).describe('What clients log in as, as before.'),
      password: secretField(apiLimits.passwordCharsMax).describe(
        'The new password. It is returned only here.',
      ),
      old_password_ends_at: time().nullable().describe('When the old password ends; `null` if it has.'),
    }),
    errors: ['conflict', 'limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { id: examples.credential, overlap_seconds: 86_400 },
      output: {
        id: examples.credential,
        username: 'ccun_5f0c1b2a',
        password: 'ccp_example_only',
        old_password_ends_at: examples.time,
      },
    },
  }),
  defineClusterOperation({
    name: 'end_virtual_cluster_credentials_rotation',
    title: 'End an old password',
    summary: 'End the old password of a credential that is being rotated. Logins with it are refused.',
    input: clusterInput({
      id: id('credential').describe('The credential.'),
    }),
    errors: ['limit_exceeded', 'unsupported_cluster_type'],
    example: { input: { id: examples.credential } },
  }),
  defineClusterOperation({
    name: 'delete_virtual_cluster_credentials',
    title: 'Delete a credential',
    summary: 'Delete a credential. Clients that use it fail at their next login.',
    input: clusterInput({
      id: id('credential').describe('The credential.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: { input: { id: examples.credential } },
  }),
] as const;
