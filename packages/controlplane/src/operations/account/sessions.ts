import { release, timeText } from '@weir/core';
import { mayReadAudit } from '../../accounts/access/permissions.ts';
import { notFound } from '../../accounts/common/not-found.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { loginPathOf } from '../../http/sign-in-paths.ts';
import type { CallContext, SignedIn } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { beginSession } from './begin-session.ts';
import { byName, toProfileResponse } from './responses.ts';
import { administersAccount, mayOnCluster, visibleWorkspaces } from './visible-workspaces.ts';

export function sessionHandlers(accounts: AccountsDatabase) {
  const { setup, users, sessions, workspaces, virtualClusters, ssoConnections } = accounts;
  return {
    async get_sign_in_methods() {
      const connection = await ssoConnections.only();
      return {
        needs_setup: await setup.isNeeded(),
        passwords: true,
        sso_login_path: connection === undefined ? null : loginPathOf(connection),
      };
    },

    async setup({ token, account_name, email, name, password }, context) {
      const made = await setup.finish(token, { accountName: account_name, email, name, proof: { password } });
      await beginSession(accounts, made.user, context);
      return {
        account_id: made.account.id,
        workspace_id: made.workspaceId,
        user: toProfileResponse(made.user),
      };
    },

    async sign_in({ email, password }, context) {
      const user = await users.authenticate(email, password);
      if (user === undefined) throw new OperationFailed('invalid_credentials');
      const session = await beginSession(accounts, user, context);
      return { user: toProfileResponse(user), expires_at: timeText(session.expiresMs) };
    },

    async sign_out(_input, context) {
      const { user, session } = signedInOf(context);
      await sessions.end(user.id, session.id);
      context.browser.end();
      return {};
    },

    async get_session(_input, context) {
      const { user, session } = signedInOf(context);
      return { user: toProfileResponse(user), expires_at: timeText(session.expiresMs) };
    },

    async list_sessions(_input, context) {
      const { user, session: current } = signedInOf(context);
      const all = await sessions.list(user.id);
      return {
        sessions: all
          .toSorted((one, other) => other.lastSeenMs - one.lastSeenMs)
          .map((session) => ({
            id: session.id,
            is_current: session.id === current.id,
            created_at: timeText(session.createdMs),
            last_used_at: timeText(session.lastSeenMs),
            expires_at: timeText(session.expiresMs),
            remote_address: session.remoteAddress,
            user_agent: session.userAgent,
          })),
      };
    },

    async revoke_session({ session_id }, context) {
      const { user, session } = signedInOf(context);
      if (!(await sessions.end(user.id, session_id))) throw notFound('session');
      if (session_id === session.id) context.browser.end();
      return {};
    },

    async change_password({ current_password, new_password }, context) {
      const { user, session } = signedInOf(context);
      if ((await users.authenticate(user.email, current_password)) === undefined)
        throw new OperationFailed('invalid_credentials', 'The current password is wrong.');
      await users.setPassword(user.accountId, user.id, new_password, session.id);
      return {};
    },

    async get_context(_input, context) {
      const { actor, accountId, actorName, clock } = context;
      const account = await accounts.accounts.get(accountId);
      if (actor.kind === 'anonymous' || account === undefined) throw notFound('account');
      const [reached, all, clusters] = await Promise.all([
        visibleWorkspaces(accounts, context),
        workspaces.list(accountId),
        virtualClusters.list(accountId),
      ]);
      const seen = byName(clusters.filter((cluster) => mayOnCluster(context, 'read', cluster)));
      const ofWorkspace = Map.groupBy(seen, ({ workspaceId }) => workspaceId);
      // An agent key has access to its cluster and not to the workspace, but may see the name of the workspace.
      const visible = all.flatMap(({ id, name }) => {
        const grant = reached.find((workspace) => workspace.id === id)?.grant;
        const own = ofWorkspace.get(id) ?? [];
        if (grant === undefined && own.length === 0) return [];
        const virtual_clusters = own.map((cluster) => ({
          id: cluster.id,
          name: cluster.name,
          type: cluster.type,
        }));
        return [
          {
            id,
            name,
            grant: grant ?? ('read_only' as const),
            may_read_audit_log: mayReadAudit(actor, accountId, id),
            virtual_clusters,
          },
        ];
      });
      return {
        account: { id: account.id, name: account.name },
        actor: { kind: actor.kind, id: actor.id, name: actorName },
        is_account_admin: administersAccount(context),
        workspaces: visible,
        release,
        server_time: timeText(clock.nowMs()),
      };
    },
  } satisfies SomeHandlers;
}

function signedInOf({ signedIn }: CallContext): SignedIn {
  if (signedIn === undefined)
    throw new OperationFailed('forbidden', 'Only a browser session can do this; sign in to the console.');
  return signedIn;
}
