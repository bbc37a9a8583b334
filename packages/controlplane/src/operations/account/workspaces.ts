import { timeText } from '@weir/core';
import { everywhere } from '../../accounts/access/grants.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { SomeHandlers } from '../handler.ts';
import { makeKeyFor } from './made-key.ts';
import { seesWorkspace } from './visible-workspaces.ts';

export function workspaceHandlers(accounts: AccountsDatabase) {
  const { workspaces } = accounts;
  return {
    async list_workspaces(_input, context) {
      const all = await workspaces.list(context.accountId);
      const seen = all.filter(({ id }) => seesWorkspace(context, id));
      return {
        workspaces: seen.map(({ id, name, createdMs }) => ({ id, name, created_at: timeText(createdMs) })),
      };
    },

    async create_workspace(input, { accountId, actor }) {
      const { id, name } = await workspaces.create(accountId, input.workspace_name);
      if (input.skip_application_key_creation) return { workspace_id: id };
      const grant = {
        principalKind: 'app',
        resourceKind: everywhere,
        resourceId: everywhere,
        workspaceId: id,
      } as const;
      const key = await makeKeyFor(accounts, { accountId, id, name }, grant, actor).catch(async (error) => {
        await workspaces.delete(accountId, id);
        throw error;
      });
      return { workspace_id: id, application_key: key };
    },

    async rename_workspace(input, { accountId }) {
      await workspaces.rename(accountId, input.workspace_id, input.new_workspace_name);
      return {};
    },

    async delete_workspace(input, { accountId }) {
      await workspaces.delete(accountId, input.workspace_id);
      return {};
    },
  } satisfies SomeHandlers;
}
