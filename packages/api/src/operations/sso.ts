import * as z from 'zod';
import { examples, flag, httpsUrl, secret, text, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';

/**
 * Single sign-on is OpenID Connect. The routes have the names that SAML clients use, with other fields: an issuer and a
 * client replace the entity, its address and its certificate.
 */

const identifier = () =>
  word(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 63, 'is not 1 to 63 lower-case letters, digits and hyphens');
const clientId = () => text(256, 1);
const clientSecret = () => secret(1, 1024);
const claimName = () => text(128, 1);

const claim =
  'The claim whose values are names of roles. Roles are assigned and removed by it at every sign-in.';
const mapping = 'Whether roles follow the claim.';
const defaultRole = 'The role of users to whom the claim gives none.';
const issuer = 'The issuer URL. Its `/.well-known/openid-configuration` must be reachable.';

const configuration = z
  .object({
    id: id('ssoConnection').describe('The connection.'),
    sso_identifier: text(63).describe('The slug at the end of its URLs.'),
    issuer_url: text(apiLimits.apiUrlCharsMax).describe(issuer),
    client_id: text(256).describe('The client id at the issuer.'),
    default_role_id: id('userRole').describe(defaultRole),
    enable_sso_role_mapping: z.boolean().describe(mapping),
    role_claim: text(128).describe(claim),
    login_url: text(apiLimits.apiUrlCharsMax).describe('The sign-in URL for users.'),
    callback_url: text(apiLimits.apiUrlCharsMax).describe('The redirect URI to allow at the issuer.'),
  })
  .meta({ id: 'SsoConfiguration', description: 'An OpenID Connect connection.' });

const exampleSettings = {
  issuer_url: 'https://issuer.example',
  client_id: 'weir',
  default_role_id: examples.role,
  enable_sso_role_mapping: true,
  role_claim: 'groups',
};

export const ssoOperations = [
  defineOperation({
    name: 'get_sso_configuration',
    title: 'Describe single sign-on',
    summary: 'Describe the OpenID Connect connection, without its secret.',
    scope: 'account',
    output: z.object({
      sso_configuration: configuration.nullable().describe('The connection, or `null` if there is none.'),
    }),
    example: {
      output: {
        sso_configuration: {
          id: examples.sso,
          sso_identifier: 'example',
          ...exampleSettings,
          login_url: 'https://console.example/login/sso/example',
          callback_url: 'https://console.example/login/callback?connection=example',
        },
      },
    },
  }),
  defineOperation({
    name: 'create_sso_configuration',
    title: 'Set up single sign-on',
    summary: 'Create the OpenID Connect connection of the account.',
    description: 'SAML is not supported. An account has one connection.',
    scope: 'account',
    input: z.strictObject({
      sso_identifier: identifier().describe('A slug for its URLs, unique among all accounts.'),
      issuer_url: httpsUrl().describe(issuer),
      client_id: clientId().describe('The client id at the issuer.'),
      client_secret: clientSecret().describe('Its secret. It is never returned.'),
      default_role_id: id('userRole').describe(defaultRole),
      enable_sso_role_mapping: flag(mapping),
      role_claim: claimName().default('groups').describe(claim),
    }),
    output: z.object({ sso_connection_id: id('ssoConnection').describe('The connection.') }),
    errors: ['not_found', 'sso_already_configured', 'duplicate_name', 'no_sealing_keys'],
    example: {
      input: { sso_identifier: 'example', ...exampleSettings, client_secret: 'secret-of-the-client' },
      output: { sso_connection_id: examples.sso },
    },
  }),
  defineOperation({
    name: 'update_sso_configuration',
    title: 'Change single sign-on',
    summary: 'Update the given fields of the OpenID Connect connection.',
    description: 'Omitted fields keep their values.',
    scope: 'account',
    input: z.strictObject({
      sso_connection_id: id('ssoConnection').describe('The connection.'),
      issuer_url: httpsUrl().optional().describe(issuer),
      client_id: clientId().optional().describe('The client id at the issuer.'),
      client_secret: clientSecret().optional().describe('Its secret.'),
      default_role_id: id('userRole').optional().describe(defaultRole),
      enable_sso_role_mapping: z.boolean().optional().describe(mapping),
      role_claim: claimName().optional().describe(claim),
    }),
    errors: ['not_found', 'no_sealing_keys'],
    example: { input: { sso_connection_id: examples.sso, client_secret: 'another-secret' } },
  }),
  defineOperation({
    name: 'delete_sso_configuration',
    title: 'Remove single sign-on',
    summary: 'Delete the OpenID Connect connection.',
    scope: 'account',
    input: z.strictObject({ sso_connection_id: id('ssoConnection').describe('The connection.') }),
    errors: ['not_found', 'last_admin'],
    example: { input: { sso_connection_id: examples.sso } },
  }),
] as const;
