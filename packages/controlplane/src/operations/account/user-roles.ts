import type { InputOf } from '@weir/api';
import { timeText } from '@weir/core';
import type { RoleGrant } from '../../accounts/access/grants.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { SomeHandlers } from '../handler.ts';
import { byName, toRoleGrantResponse } from './responses.ts';

export function userRoleHandlers({ roles }: AccountsDatabase) {
  return {
    async list_user_roles(_input, { accountId }) {
      const all = byName(await roles.list(accountId));
      return {
        user_roles: all.map(({ id, name, grants, createdMs }) => ({
          id,
          name,
          access_grants: grants.map(toRoleGrantResponse),
          created_at: timeText(createdMs),
        })),
      };
    },

    async create_user_role(input, { accountId }) {
      const grants = grantsOf(input.access_grants);
      const { id } = await roles.create(accountId, input.user_role_name, grants);
      return { user_role_id: id };
    },

    async update_user_role(input, { accountId }) {
      const grants = grantsOf(input.access_grants);
      await roles.update(accountId, input.user_role_id, input.new_user_role_name, grants);
      return {};
    },

    async delete_user_role(input, { accountId }) {
      await roles.delete(accountId, input.user_role_id);
      return {};
    },
  } satisfies SomeHandlers;
}

function grantsOf(given: InputOf<'create_user_role'>['access_grants']): RoleGrant[] {
  return given.map(({ workspace_id, managed_grant_name }) => ({
    workspaceId: workspace_id,
    managedGrantName: managed_grant_name,
  }));
}
