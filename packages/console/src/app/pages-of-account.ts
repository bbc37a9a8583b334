import {
  type Icon,
  KeyIcon,
  LogIcon,
  OrganizationIcon,
  PersonIcon,
  PlugIcon,
  ShieldIcon,
  StackIcon,
} from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { OperationName } from '@weir/api/client';

interface AccountPage {
  readonly label: string;
  readonly icon: Icon;
  readonly to: NonNullable<LinkProps['to']>;
  /** Keys that go there, from anywhere. */
  readonly keys: string;
  /** What a person can do there. */
  readonly operations: readonly OperationName[];
  /** It is reached from the menu of the account or from another page, and not from the sidebar. */
  readonly isOwn?: true;
}

/** The list of clusters, which is above the pages of one. */
export const clustersPage = {
  label: 'Clusters',
  to: '/clusters',
  operations: [
    'list_virtual_clusters',
    'create_virtual_cluster',
    'clone_virtual_cluster',
    'list_recently_deleted_virtual_clusters',
    'restore_virtual_cluster',
  ] as readonly OperationName[],
} as const;

/** The pages outside of a cluster, in the order of the sidebar, which the palette has too. */
export const accountPages: readonly AccountPage[] = [
  {
    label: 'API keys',
    icon: KeyIcon,
    to: '/keys',
    keys: 'g k',
    operations: ['list_api_keys', 'create_api_key', 'delete_api_key'],
  },
  { label: 'MCP', icon: PlugIcon, to: '/mcp', keys: 'g m', operations: ['create_mcp_configuration'] },
  {
    label: 'Team',
    icon: OrganizationIcon,
    to: '/team',
    keys: 'g p',
    operations: [
      'users/list',
      'users/update_roles',
      'users/delete',
      'users/create_invitations',
      'users/list_invitations',
      'users/delete_invitation',
    ],
  },
  {
    label: 'Roles',
    icon: ShieldIcon,
    to: '/team/roles',
    keys: 'g r',
    operations: ['list_user_roles', 'create_user_role', 'update_user_role', 'delete_user_role'],
    isOwn: true,
  },
  {
    label: 'Single sign-on',
    icon: ShieldIcon,
    to: '/team/sso',
    keys: 'g s',
    operations: [
      'get_sso_configuration',
      'create_sso_configuration',
      'update_sso_configuration',
      'delete_sso_configuration',
    ],
    isOwn: true,
  },
  { label: 'Audit log', icon: LogIcon, to: '/audit-log', keys: 'g a', operations: ['search_audit_log'] },
  {
    label: 'Workspaces',
    icon: StackIcon,
    to: '/workspaces',
    keys: 'g w',
    operations: ['list_workspaces', 'create_workspace', 'rename_workspace', 'delete_workspace'],
  },
  {
    label: 'Your account',
    icon: PersonIcon,
    to: '/account',
    keys: 'g y',
    operations: ['get_session', 'list_sessions', 'revoke_session', 'change_password', 'get_context'],
    isOwn: true,
  },
];
