import * as z from 'zod';
import { emailAddress, examples, list, newPassword, secret, secretField, text, time } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { exampleProfile, profile } from './sessions.ts';

/** Roles that one user has. */
const rolesPerUserMax = 100;
const roleIds = () => list(id('userRole'), rolesPerUserMax);

const user = z
  .object({
    id: id('user').describe('The user.'),
    email: text(apiLimits.emailCharsMax).describe('The sign-in method.'),
    name: text(128).describe('The name of the user.'),
    user_role_ids: roleIds().describe('The roles of the user.'),
    created_at: time().describe('When the user joined.'),
    last_signed_in_at: time().nullable().describe('The last sign-in, or `null`.'),
  })
  .meta({ id: 'User', description: 'A user of the account.' });

const pendingInvitation = z
  .object({
    id: id('invitation').describe('The invitation.'),
    email: text(apiLimits.emailCharsMax).describe('Who is invited.'),
    user_role_id: id('userRole').describe('The role of the new user.'),
    created_at: time().describe('When it was created.'),
    expires_at: time().describe('When it expires.'),
  })
  .meta({ id: 'Invitation', description: 'A pending invitation.' });

const exampleInvitation = {
  id: examples.invitation,
  email: 'grace@example.com',
  user_role_id: examples.role,
  created_at: examples.time,
  expires_at: '2026-02-07T12:00:00Z',
};

export const userOperations = [
  defineOperation({
    name: 'users/list',
    title: 'List users',
    summary: 'List the users of the account.',
    scope: 'account',
    output: z.object({ users: list(user, apiLimits.usersMax).describe('The users by e-mail address.') }),
    example: {
      output: {
        users: [
          {
            ...exampleProfile,
            user_role_ids: [examples.role],
            created_at: examples.time,
            last_signed_in_at: null,
          },
        ],
      },
    },
  }),
  defineOperation({
    name: 'users/update_roles',
    title: 'Change the roles of a user',
    summary: 'Set the roles of a user.',
    scope: 'account',
    input: z.strictObject({
      user_id: id('user').describe('The user.'),
      assigned_role_ids: roleIds()
        .nullish()
        .transform((ids) => ids ?? [])
        .describe('Roles to add.'),
      unassigned_role_ids: roleIds()
        .nullish()
        .transform((ids) => ids ?? [])
        .describe('Roles to remove.'),
    }),
    errors: ['not_found', 'last_admin', 'limit_exceeded'],
    example: { input: { user_id: examples.user, assigned_role_ids: [examples.role] } },
  }),
  defineOperation({
    name: 'users/delete',
    title: 'Delete a user',
    summary: 'Delete a user and end the sessions of that user.',
    scope: 'account',
    input: z.strictObject({ user_id: id('user').describe('The user.') }),
    errors: ['not_found', 'last_admin'],
    example: { input: { user_id: examples.user } },
  }),
  defineOperation({
    name: 'users/create_invitations',
    title: 'Invite users',
    summary: 'Invite users to the account and return the link of each invitation once.',
    description:
      'No e-mail is sent: share the links yourself. A link can be used once, until it expires. A second invitation to the same address replaces the first.',
    scope: 'account',
    input: z.strictObject({
      invitations: list(
        z.strictObject({
          email: emailAddress().describe('Who is invited.'),
          user_role_id: id('userRole').describe('The role of the new user.'),
        }),
        apiLimits.invitationsPerRequestMax,
        1,
      ).describe('The invitations; all are created, or none.'),
    }),
    output: z.object({
      invitations: list(
        z.object({
          email: text(apiLimits.emailCharsMax).describe('Who is invited.'),
          invitation_url: secretField(apiLimits.apiUrlCharsMax).describe(
            'The link. It is returned only here.',
          ),
          expires_at: time().describe('When it expires.'),
        }),
        apiLimits.invitationsPerRequestMax,
      ).describe('The invitations in the order of the request.'),
    }),
    errors: ['not_found', 'user_already_exists', 'limit_exceeded'],
    example: {
      input: { invitations: [{ email: 'grace@example.com', user_role_id: examples.role }] },
      output: {
        invitations: [
          {
            email: 'grace@example.com',
            invitation_url: 'https://console.example/join#token-of-the-invitation',
            expires_at: '2026-02-07T12:00:00Z',
          },
        ],
      },
    },
  }),
  defineOperation({
    name: 'users/list_invitations',
    title: 'List invitations',
    summary: 'List pending invitations.',
    scope: 'account',
    output: z.object({
      invitations: list(pendingInvitation, apiLimits.invitationsMax).describe(
        'The invitations, newest first.',
      ),
    }),
    example: { output: { invitations: [exampleInvitation] } },
  }),
  defineOperation({
    name: 'users/delete_invitation',
    title: 'Revoke an invitation',
    summary: 'Revoke an invitation.',
    scope: 'account',
    input: z.strictObject({ invitation_id: id('invitation').describe('The invitation.') }),
    errors: ['not_found'],
    example: { input: { invitation_id: examples.invitation } },
  }),
  defineOperation({
    name: 'users/accept_invitation',
    title: 'Accept an invitation',
    summary: 'Accept an invitation: create the user and start a session.',
    scope: 'public',
    isGuessable: true,
    input: z.strictObject({
      token: secret(16, 256).describe('The token at the end of the link.'),
      name: text(128, 1).describe('The name of the user.'),
      password: newPassword().describe('A password to sign in with.'),
    }),
    output: z.object({ user: profile.describe('The user.') }),
    errors: ['invalid_token', 'user_already_exists', 'limit_exceeded'],
    example: {
      input: { token: 'token-of-the-invitation', name: 'Ada', password: 'correct horse battery' },
      output: { user: exampleProfile },
    },
  }),
] as const;
