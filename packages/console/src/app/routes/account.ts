import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { frame, listSearch, root, text } from './parents.ts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { return_to?: string | undefined } => ({
    return_to: text(search.return_to),
  }),
  component: lazyRouteComponent(() => import('../../pages/account/sign-in.tsx'), 'SignIn'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('../../pages/account/setup.tsx'), 'Setup'),
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('../../pages/account/join.tsx'), 'Join'),
});

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/clusters' });
  },
});

const clusters = createRoute({
  getParentRoute: () => frame,
  path: '/clusters',
  validateSearch: (search: Record<string, unknown>): { show?: 'create' | 'deleted' | undefined } => ({
    show: search.show === 'create' || search.show === 'deleted' ? search.show : undefined,
  }),
  component: lazyRouteComponent(() => import('../../pages/clusters/clusters.tsx'), 'Clusters'),
});

const keys = createRoute({
  getParentRoute: () => frame,
  path: '/keys',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/account/keys.tsx'), 'Keys'),
});

const workspaces = createRoute({
  getParentRoute: () => frame,
  path: '/workspaces',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/account/workspaces.tsx'), 'Workspaces'),
});

const ownAccount = createRoute({
  getParentRoute: () => frame,
  path: '/account',
  component: lazyRouteComponent(() => import('../../pages/account/own-account.tsx'), 'OwnAccount'),
});

const mcp = createRoute({
  getParentRoute: () => frame,
  path: '/mcp',
  component: lazyRouteComponent(() => import('../../pages/account/mcp.tsx'), 'Mcp'),
});

const members = createRoute({
  getParentRoute: () => frame,
  path: '/team',
  component: lazyRouteComponent(() => import('../../pages/account/members.tsx'), 'Members'),
});

const roles = createRoute({
  getParentRoute: () => frame,
  path: '/team/roles',
  component: lazyRouteComponent(() => import('../../pages/account/roles.tsx'), 'Roles'),
});

const sso = createRoute({
  getParentRoute: () => frame,
  path: '/team/sso',
  component: lazyRouteComponent(() => import('../../pages/account/sso.tsx'), 'Sso'),
});

interface AuditSearch {
  /** `7d`, or `all`. */
  readonly range?: string | undefined;
  readonly actor?: string | undefined;
  readonly operation?: string | undefined;
  readonly target?: string | undefined;
  readonly result?: string | undefined;
  readonly cursor?: string | undefined;
}

const auditLog = createRoute({
  getParentRoute: () => frame,
  path: '/audit-log',
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    range: text(search.range),
    actor: text(search.actor),
    operation: text(search.operation),
    target: text(search.target),
    result: text(search.result),
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import('../../pages/account/audit-log.tsx'), 'AuditLog'),
});

/** Pages of an account, outside of any cluster. */
export const accountRoutes = [
  home,
  clusters,
  keys,
  mcp,
  members,
  roles,
  sso,
  auditLog,
  workspaces,
  ownAccount,
] as const;

/** Pages before there is a session. */
export const sessionlessRoutes = [signIn, setup, join] as const;
