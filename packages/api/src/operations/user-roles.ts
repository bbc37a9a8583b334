import * as z from 'zod';
import { displayName, examples, list, text, time } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { accessGrants, roleGrants } from './access-grants.ts';

const role = z
  .object({
    id: id('userRole').describe('The role.'),
    name: text(60).describe('Its name.'),
    access_grants: accessGrants().describe('What its users may do.'),
    created_at: time().describe('When it was created.'),
  })
  .meta({ id: 'UserRole', description: 'A role.' });

const exampleGrants = [
  { workspace_id: examples.workspace, managed_grant_name: 'admin' as const, resource_id: '*' as const },
];

export const userRoleOperations = [
  defineOperation({
    name: 'list_user_roles',
    title: 'List roles',
    summary: 'List the roles of the account.',
    description:
      'Every account starts with three roles: `Admin`, with all rights everywhere; `Records reader`, which reads everything including records of topics; and `Read-only`, without records.',
    scope: 'account',
    output: z.object({ user_roles: list(role, apiLimits.userRolesMax).describe('The roles by name.') }),
    example: {
      output: {
        user_roles: [
          {
            id: examples.role,
            name: 'Shop',
            access_grants: [
              {
                principal_kind: '',
                resource_kind: '',
                resource_id: '*',
                workspace_id: examples.workspace,
                managed_grant_name: 'admin',
              },
            ],
            created_at: examples.time,
          },
        ],
      },
    },
  }),
  defineOperation({
    name: 'create_user_role',
    title: 'Create a role',
    summary: 'Create a role.',
    description: 'There is no grant for billing.',
    scope: 'account',
    input: z.strictObject({
      user_role_name: displayName(60).describe('The name, unique in the account.'),
      access_grants: roleGrants().describe('What its users may do, by workspace.'),
    }),
    output: z.object({ user_role_id: id('userRole').describe('The role.') }),
    errors: ['not_found', 'duplicate_name', 'limit_exceeded'],
    example: {
      input: { user_role_name: 'Shop', access_grants: exampleGrants },
      output: { user_role_id: examples.role },
    },
  }),
  defineOperation({
    name: 'update_user_role',
    title: 'Change a role',
    summary: 'Replace the name and the grants of a role.',
    scope: 'account',
    input: z.strictObject({
      user_role_id: id('userRole').describe('The role.'),
      new_user_role_name: displayName(60).describe('The new name.'),
      access_grants: roleGrants().describe('The new grants, which replace the old ones.'),
    }),
    errors: ['not_found', 'duplicate_name', 'last_admin'],
    example: {
      input: { user_role_id: examples.role, new_user_role_name: 'Shop', access_grants: exampleGrants },
    },
  }),
  defineOperation({
    name: 'delete_user_role',
    title: 'Delete a role',
    summary: 'Delete a role that is not in use.',
    scope: 'account',
    input: z.strictObject({ user_role_id: id('userRole').describe('The role.') }),
    errors: ['not_found', 'role_in_use'],
    example: { input: { user_role_id: examples.role } },
  }),
] as const;
