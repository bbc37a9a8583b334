import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { cluster, listSearch, text } from './parents.ts';

/** The list, and a question to the tester. */
interface AclSearch extends ReturnType<typeof listSearch> {
  readonly principal?: string | undefined;
  readonly operation?: string | undefined;
  readonly resource_type?: string | undefined;
  readonly resource_name?: string | undefined;
  readonly host?: string | undefined;
}

const acls = createRoute({
  getParentRoute: () => cluster,
  path: '/acls',
  validateSearch: (search: Record<string, unknown>): AclSearch => ({
    ...listSearch(search),
    principal: text(search.principal),
    operation: text(search.operation),
    resource_type: text(search.resource_type),
    resource_name: text(search.resource_name),
    host: text(search.host),
  }),
  component: lazyRouteComponent(() => import('../../pages/access/acls.tsx'), 'Acls'),
});

const credentials = createRoute({
  getParentRoute: () => cluster,
  path: '/credentials',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/access/credentials.tsx'), 'Credentials'),
});

const workloadIdentities = createRoute({
  getParentRoute: () => cluster,
  path: '/workload-identities',
  component: lazyRouteComponent(
    () => import('../../pages/access/workload-identities.tsx'),
    'WorkloadIdentities',
  ),
});

const quotas = createRoute({
  getParentRoute: () => cluster,
  path: '/quotas',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/access/quotas/quotas.tsx'), 'Quotas'),
});

/** Who may connect to a cluster, and what and how much they may do there. */
export const accessRoutes = [acls, credentials, workloadIdentities, quotas] as const;
