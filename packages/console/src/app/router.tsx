import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { NotFound, RouteFailure } from './frame/not-found.tsx';

/**
 * Every page and its path. Paths are those of `consolePaths` of the API, which links in answers of tools and in
 * diagnostics are made of. Pages are loaded when they are opened.
 */

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteFailure });

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { return_to?: string | undefined } => ({
    return_to: text(search.return_to),
  }),
  component: lazyRouteComponent(() => import('../pages/account/sign-in.tsx'), 'SignIn'),
});

const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });

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
  component: lazyRouteComponent(() => import('../pages/clusters/clusters.tsx'), 'Clusters'),
});

const cluster = createRoute({ getParentRoute: () => frame, path: '/clusters/$clusterId' });

interface ListSearch {
  /** Part of the names to show. */
  readonly q?: string | undefined;
  /** The column to sort by, with `-` before it for the largest first. */
  readonly sort?: string | undefined;
}

const listSearch = (search: Record<string, unknown>): ListSearch => ({
  q: text(search.q),
  sort: text(search.sort),
});

const overview = createRoute({
  getParentRoute: () => cluster,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview.tsx'), 'Overview'),
});

const topics = createRoute({
  getParentRoute: () => cluster,
  path: '/topics',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/topics/topics.tsx'), 'Topics'),
});

const topic = createRoute({
  getParentRoute: () => cluster,
  path: '/topics/$topic',
  component: lazyRouteComponent(() => import('../pages/topics/topic.tsx'), 'Topic'),
});

const groups = createRoute({
  getParentRoute: () => cluster,
  path: '/consumer-groups',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/groups/groups.tsx'), 'Groups'),
});

const group = createRoute({
  getParentRoute: () => cluster,
  path: '/consumer-groups/$group',
  component: lazyRouteComponent(() => import('../pages/groups/group.tsx'), 'Group'),
});

const diagnostics = createRoute({
  getParentRoute: () => cluster,
  path: '/diagnostics',
  component: lazyRouteComponent(() => import('../pages/diagnostics/diagnostics.tsx'), 'Diagnostics'),
});

const diagnostic = createRoute({
  getParentRoute: () => cluster,
  path: '/diagnostics/$diagnosticId',
  component: lazyRouteComponent(() => import('../pages/diagnostics/diagnostic.tsx'), 'Diagnostic'),
});

const agents = createRoute({
  getParentRoute: () => cluster,
  path: '/agents',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/agents/agents.tsx'), 'Agents'),
});

const clusterPages = cluster.addChildren([
  overview,
  topics,
  topic,
  groups,
  group,
  diagnostics,
  diagnostic,
  agents,
]);

export const router = createRouter({
  routeTree: root.addChildren([signIn, frame.addChildren([home, clusters, clusterPages])]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
