import { timeText } from '@weir/core';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { beginSession } from './begin-session.ts';
import { makerId } from './made-key.ts';
import { toProfileResponse } from './responses.ts';

export function userHandlers(accounts: AccountsDatabase, publicUrl: () => string) {
  const { users, roles, invitations } = accounts;

  /** The token is in the fragment, which browsers do not send: no log on the way contains it. */
  const linkOf = (token: string) => `${publicUrl().replace(/\/+$/, '')}/join#${token}`;

  return {
    async 'users/list'(_input, { accountId }) {
      const all = await users.list(accountId);
      const sorted = all.toSorted((one, other) => (one.email < other.email ? -1 : 1));
      return {
        users: sorted.map(({ id, email, name, roleIds, createdMs, lastSignInMs }) => ({
          id,
          email,
          name,
          user_role_ids: [...roleIds],
          created_at: timeText(createdMs),
          last_signed_in_at: lastSignInMs === undefined ? null : timeText(lastSignInMs),
        })),
      };
    },

    async 'users/update_roles'(input, { accountId }) {
      await roles.changeOfUser(accountId, input.user_id, {
        assigned: input.assigned_role_ids,
        unassigned: input.unassigned_role_ids,
      });
      return {};
    },

    async 'users/delete'(input, { accountId }) {
      await users.delete(accountId, input.user_id);
      return {};
    },

    async 'users/create_invitations'(input, { accountId, actor }) {
      const invited = input.invitations.map(({ email, user_role_id }) => ({ email, roleId: user_role_id }));
      const addresses = new Set(invited.map(({ email }) => email.toLowerCase()));
      if (addresses.size < invited.length)
        throw new OperationFailed('invalid_request', 'invitations: an address occurs twice');
      const made = await invitations.create(accountId, invited, makerId(actor));
      return {
        invitations: made.map(({ invitation, token }) => ({
          email: invitation.email,
          invitation_url: linkOf(token),
          expires_at: timeText(invitation.expiresMs),
        })),
      };
    },

    async 'users/list_invitations'(_input, { accountId }) {
      const open = await invitations.list(accountId);
      return {
        invitations: open.toReversed().map(({ id, email, roleId, createdMs, expiresMs }) => ({
          id,
          email,
          user_role_id: roleId,
          created_at: timeText(createdMs),
          expires_at: timeText(expiresMs),
        })),
      };
    },

    async 'users/delete_invitation'(input, { accountId }) {
      await invitations.revoke(accountId, input.invitation_id);
      return {};
    },

    async 'users/accept_invitation'({ token, name, password }, context) {
      const user = await invitations.accept(token, { name, proof: { password } });
      await beginSession(accounts, user, context);
      return { user: toProfileResponse(user) };
    },
  } satisfies SomeHandlers;
}
