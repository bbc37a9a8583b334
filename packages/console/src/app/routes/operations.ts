import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readOverview } from '../../pages/overview/overview-reads.ts';
import { rangeSearch } from '../../ui/chart-range.ts';
import { cluster, listSearch } from './parents.ts';

const overview = createRoute({
  getParentRoute: () => cluster,
  path: '/',
  loader: ({ params }) => readOverview(params.clusterId),
  component: lazyRouteComponent(() => import('../../pages/overview/overview.tsx'), 'Overview'),
});

const diagnostics = createRoute({
  getParentRoute: () => cluster,
  path: '/diagnostics',
  component: lazyRouteComponent(() => import('../../pages/diagnostics/diagnostics.tsx'), 'Diagnostics'),
});

const diagnostic = createRoute({
  getParentRoute: () => cluster,
  path: '/diagnostics/$diagnosticId',
  validateSearch: rangeSearch,
  component: lazyRouteComponent(() => import('../../pages/diagnostics/diagnostic.tsx'), 'Diagnostic'),
});

const agents = createRoute({
  getParentRoute: () => cluster,
  path: '/agents',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/agents/agents.tsx'), 'Agents'),
});

/** How the cluster is and what runs it. */
export const operationRoutes = [overview, diagnostics, diagnostic, agents] as const;
