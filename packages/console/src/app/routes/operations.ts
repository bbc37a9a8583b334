import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readOverview } from '../../pages/overview/overview-reads.ts';
import { rangeSearch } from '../../ui/chart-range.ts';
import { cluster, listSearch, text } from './parents.ts';

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

const alerts = createRoute({
  getParentRoute: () => cluster,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../../pages/alerts/alerts.tsx'), 'Alerts'),
});

const agents = createRoute({
  getParentRoute: () => cluster,
  path: '/agents',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/agents/agents.tsx'), 'Agents'),
});

const agent = createRoute({
  getParentRoute: () => cluster,
  path: '/agents/$agentId',
  component: lazyRouteComponent(() => import('../../pages/agents/agent.tsx'), 'Agent'),
});

type ListSearch = ReturnType<typeof listSearch>;

interface ClientsSearch extends ListSearch {
  readonly agent?: string | undefined;
  /** The software and version whose details are open. */
  readonly client?: string | undefined;
}

const clients = createRoute({
  getParentRoute: () => cluster,
  path: '/clients',
  validateSearch: (search: Record<string, unknown>): ClientsSearch => ({
    ...listSearch(search),
    agent: text(search.agent),
    client: textOrJson(search.client),
  }),
  component: lazyRouteComponent(() => import('../../pages/clients/clients.tsx'), 'Clients'),
});

const jobStates = ['waiting', 'running', 'done', 'failing', 'stopped'] as const;

interface JobsSearch extends ListSearch {
  readonly state?: (typeof jobStates)[number] | undefined;
  readonly kind?: string | undefined;
  readonly agent?: string | undefined;
  /** The job whose details are open. */
  readonly job?: string | undefined;
}

const jobs = createRoute({
  getParentRoute: () => cluster,
  path: '/jobs',
  validateSearch: (search: Record<string, unknown>): JobsSearch => ({
    ...listSearch(search),
    state: jobStates.find((state) => state === search.state),
    kind: text(search.kind),
    agent: text(search.agent),
    job: text(search.job),
  }),
  component: lazyRouteComponent(() => import('../../pages/jobs/jobs.tsx'), 'Jobs'),
});

interface StorageSearch {
  /** How many seconds back requests are measured. */
  readonly last?: string | undefined;
  readonly price_list?: string | undefined;
  /** Prices that replace those of the list: `put=0.004,get=0`. */
  readonly prices?: string | undefined;
}

const storage = createRoute({
  getParentRoute: () => cluster,
  path: '/storage',
  validateSearch: (search: Record<string, unknown>): StorageSearch => ({
    last: textOrJson(search.last),
    price_list: text(search.price_list),
    prices: text(search.prices),
  }),
  component: lazyRouteComponent(() => import('../../pages/storage/storage.tsx'), 'Storage'),
});

/** The router reads texts that look like JSON as what they say. */
function textOrJson(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? text(value) : JSON.stringify(value);
}

/** How the cluster is and what runs it. */
export const operationRoutes = [
  overview,
  diagnostics,
  diagnostic,
  alerts,
  agents,
  agent,
  clients,
  jobs,
  storage,
] as const;
