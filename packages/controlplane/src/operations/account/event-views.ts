import { timeText } from '@weir/core';
import type { GrantName } from '../../accounts/access/grants.ts';
import { grantIn } from '../../accounts/access/permissions.ts';
import { notFound } from '../../accounts/common/not-found.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';

export function eventViewHandlers({
  eventViews,
  workspaces,
}: Pick<AccountsDatabase, 'eventViews' | 'workspaces'>) {
  /** The catalogue cannot say what a view needs, because own views need less than shared ones. */
  const grantOn = async (workspaceId: string, { actor, accountId, happensIn }: CallContext) => {
    const grant = grantIn(actor, accountId, workspaceId);
    if (grant === undefined || (await workspaces.get(accountId, workspaceId)) === undefined)
      throw notFound('workspace');
    happensIn(workspaceId);
    return grant;
  };
  return {
    async list_event_views({ workspace_id }, context) {
      const views = await eventViews.list(workspace_id, userIdOf(context));
      return {
        views: views.map(({ id, userId, name, search, savedBy, savedMs }) => ({
          id,
          name,
          is_shared: userId === undefined,
          search,
          saved_by: savedBy,
          saved_at: timeText(savedMs),
        })),
      };
    },

    async create_event_view({ workspace_id, view_name: name, is_shared, search }, context) {
      const grant = await grantOn(workspace_id, context);
      if (is_shared) requireAdmin(grant);
      const userId = is_shared ? undefined : requireUser(context);
      const savedBy = context.actorName;
      const { id } = await eventViews.create(context.accountId, workspace_id, {
        userId,
        name,
        search,
        savedBy,
      });
      return { view_id: id };
    },

    async update_event_view({ workspace_id, view_id, view_name: name, is_shared, search }, context) {
      const grant = await grantOn(workspace_id, context);
      const place = placeOf(workspace_id, view_id, context);
      const wasShared = (await eventViews.get(place)).userId === undefined;
      const willBeShared = is_shared ?? wasShared;
      if (wasShared || willBeShared) requireAdmin(grant);
      const userId = willBeShared ? undefined : requireUser(context);
      await eventViews.change(place, { userId, name, search, savedBy: context.actorName });
      return {};
    },

    async delete_event_view({ workspace_id, view_id }, context) {
      const grant = await grantOn(workspace_id, context);
      const place = placeOf(workspace_id, view_id, context);
      if ((await eventViews.get(place)).userId === undefined) requireAdmin(grant);
      await eventViews.delete(place);
      return {};
    },
  } satisfies SomeHandlers;
}

function placeOf(workspaceId: string, viewId: string, context: CallContext) {
  return { accountId: context.accountId, workspaceId, viewId, userId: userIdOf(context) };
}

function userIdOf({ actor }: CallContext): string | undefined {
  return actor.kind === 'user' ? actor.id : undefined;
}

function requireUser(context: CallContext): string {
  const userId = userIdOf(context);
  if (userId === undefined)
    throw new OperationFailed('invalid_request', 'A key cannot have private views; set is_shared to true.');
  return userId;
}

function requireAdmin(grant: GrantName): void {
  if (grant !== 'admin')
    throw new OperationFailed(
      'forbidden',
      'Shared views need write access to the workspace; save a private view instead.',
    );
}
