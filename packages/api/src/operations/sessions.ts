import * as z from 'zod';
import { displayName, emailAddress, examples, list, newPassword, secret, text, time } from '../fields.ts';
import { clusterTypeNames, id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { grantNames } from './access-grants.ts';
import { actorKinds } from './audit.ts';

export const profile = z
  .object({
    id: id('user').describe('The user.'),
    email: text(apiLimits.emailCharsMax).describe('The sign-in method.'),
    name: text(128).describe('The name of the user.'),
  })
  .meta({ id: 'Profile', description: 'The signed-in user.' });

export const exampleProfile = { id: examples.user, email: 'ada@example.com', name: 'Ada' };

const expiresAt = () => time().describe('When the session expires, even if it is in use.');

const session = z
  .object({
    id: id('session').describe('The session.'),
    is_current: z.boolean().describe('Whether it is the session of this call.'),
    created_at: time().describe('When it started.'),
    last_used_at: time().describe('When it was last used, to about a minute.'),
    expires_at: expiresAt(),
    remote_address: text(64).describe('The address it was started from.'),
    user_agent: text(256).describe('The user agent of the browser.'),
  })
  .meta({ id: 'Session', description: 'A signed-in user.' });

/** `sign_in` accepts passwords that are shorter than the current minimum, which may have been lower. */
const passwordGiven = () => secret(1, apiLimits.passwordCharsMax);

export const sessionOperations = [
  defineOperation({
    name: 'get_sign_in_methods',
    title: 'List sign-in methods',
    summary: 'List the sign-in methods. Needs no authentication.',
    scope: 'public',
    output: z.object({
      needs_setup: z
        .boolean()
        .describe('Whether the first user has yet to be created, with the link that the server printed.'),
      passwords: z.boolean().describe('Whether passwords are accepted.'),
      sso_login_path: text(apiLimits.apiUrlCharsMax)
        .nullable()
        .describe('The URL to sign in with OpenID Connect, or `null`.'),
    }),
    example: { output: { needs_setup: false, passwords: true, sso_login_path: null } },
  }),
  defineOperation({
    name: 'setup',
    title: 'Set up the account',
    summary: 'Create the first user with the one-time token that the server printed, and start a session.',
    scope: 'public',
    isGuessable: true,
    input: z.strictObject({
      token: secret(16, 256).describe('The token from the link.'),
      account_name: displayName(128).describe('The name of the account.'),
      email: emailAddress().describe('The e-mail address of the user.'),
      name: text(128, 1).describe('The name of the user.'),
      password: newPassword().describe('A password to sign in with.'),
    }),
    output: z.object({
      account_id: id('account').describe('The account.'),
      workspace_id: id('workspace').describe('Its first workspace.'),
      user: profile.describe('The user.'),
    }),
    errors: ['invalid_token', 'already_set_up'],
    example: {
      input: {
        token: 'token-from-the-printed-link',
        account_name: 'Example',
        email: 'ada@example.com',
        name: 'Ada',
        password: 'correct horse battery',
      },
      output: { account_id: examples.account, workspace_id: examples.workspace, user: exampleProfile },
    },
  }),
  defineOperation({
    name: 'sign_in',
    title: 'Sign in',
    summary: 'Start a session with a password.',
    description:
      'The response sets the session cookie. A wrong address and a wrong password give the same error after the same time.',
    scope: 'public',
    isGuessable: true,
    input: z.strictObject({
      email: emailAddress().describe('The address.'),
      password: passwordGiven().describe('The password.'),
    }),
    output: z.object({ user: profile.describe('The user.'), expires_at: expiresAt() }),
    errors: ['invalid_credentials'],
    example: {
      input: { email: 'ada@example.com', password: 'correct horse battery' },
      output: { user: exampleProfile, expires_at: '2026-02-07T12:00:00Z' },
    },
  }),
  defineOperation({
    name: 'sign_out',
    title: 'Sign out',
    summary: 'End the session of the caller.',
    scope: 'user',
  }),
  defineOperation({
    name: 'get_session',
    title: 'Describe the session',
    summary: 'Describe the session of the caller.',
    description: 'For sessions. `get_context` returns the same for keys, and the workspaces they can access.',
    scope: 'user',
    output: z.object({ user: profile.describe('The user.'), expires_at: expiresAt() }),
    example: { output: { user: exampleProfile, expires_at: '2026-02-07T12:00:00Z' } },
  }),
  defineOperation({
    name: 'list_sessions',
    title: 'List your sessions',
    summary: 'List the sessions of the user.',
    scope: 'user',
    output: z.object({
      sessions: list(session, apiLimits.sessionsPerUserMax).describe('The sessions, last used first.'),
    }),
    example: {
      output: {
        sessions: [
          {
            id: examples.session,
            is_current: true,
            created_at: examples.time,
            last_used_at: examples.time,
            expires_at: '2026-02-07T12:00:00Z',
            remote_address: '203.0.113.7',
            user_agent: 'Firefox',
          },
        ],
      },
    },
  }),
  defineOperation({
    name: 'revoke_session',
    title: 'End one of your sessions',
    summary: 'End another session of the user.',
    scope: 'user',
    input: z.strictObject({ session_id: id('session').describe('The session.') }),
    errors: ['not_found'],
    example: { input: { session_id: examples.session } },
  }),
  defineOperation({
    name: 'change_password',
    title: 'Change your password',
    summary: 'Change the password of the user and end all other sessions.',
    scope: 'user',
    isGuessable: true,
    input: z.strictObject({
      current_password: passwordGiven().describe('The current password.'),
      new_password: newPassword().describe('The new password.'),
    }),
    errors: ['invalid_credentials'],
    example: {
      input: { current_password: 'correct horse battery', new_password: 'wrong horse, new battery' },
    },
  }),
  defineOperation({
    name: 'get_context',
    title: 'Describe the caller',
    summary: 'Describe the caller, the workspaces it can access and the setup of the service.',
    description: 'A good first call.',
    scope: 'user',
    output: z.object({
      account: z
        .object({ id: id('account').describe('The account.'), name: text(128).describe('Its name.') })
        .describe('The account of the caller.'),
      actor: z
        .object({
          kind: z.enum(actorKinds).describe('The type of caller.'),
          id: text(136).describe('Its id.'),
          name: text(apiLimits.emailCharsMax).describe('Its name.'),
        })
        .describe('The caller.'),
      is_account_admin: z.boolean().describe('Whether it may administer the whole account.'),
      workspaces: list(
        z.object({
          id: id('workspace').describe('The workspace.'),
          name: text(128).describe('Its name.'),
          grant: z
            .enum(grantNames)
            .describe('What the caller may do there. `read_records` is `read_only` with records of topics.'),
          may_read_audit_log: z
            .boolean()
            .describe('Whether the caller sees the entries of the workspace in the audit log.'),
          virtual_clusters: list(
            z.object({
              id: id('cluster').describe('The cluster.'),
              name: text(135).describe('Its name.'),
              type: z.enum(clusterTypeNames).describe('What it is.'),
            }),
            apiLimits.virtualClustersMax,
          ).describe('Its clusters by name.'),
        }),
        apiLimits.workspacesMax,
      ).describe('The workspaces that the caller can access, oldest first.'),
      release: text(64).describe('The release of the control plane.'),
      server_time: time().describe('The time of the control plane.'),
    }),
    example: {
      output: {
        account: { id: examples.account, name: 'Example' },
        actor: { kind: 'user', id: examples.user, name: 'ada@example.com' },
        is_account_admin: true,
        workspaces: [
          {
            id: examples.workspace,
            name: 'Default',
            grant: 'admin',
            may_read_audit_log: true,
            virtual_clusters: [{ id: examples.cluster, name: 'vcn_orders', type: 'byoc' }],
          },
        ],
        release: 'v830',
        server_time: examples.time,
      },
    },
  }),
] as const;
