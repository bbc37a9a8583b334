import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { cluster, configSearch } from './parents.ts';

const settings = createRoute({
  getParentRoute: () => cluster,
  path: '/settings',
  component: lazyRouteComponent(() => import('../../pages/settings/general.tsx'), 'General'),
});

const clusterConfigs = createRoute({
  getParentRoute: () => cluster,
  path: '/settings/configs',
  validateSearch: configSearch,
  component: lazyRouteComponent(() => import('../../pages/settings/configs.tsx'), 'Configs'),
});

const eventSettings = createRoute({
  getParentRoute: () => cluster,
  path: '/settings/events',
  component: lazyRouteComponent(() => import('../../pages/settings/events/events.tsx'), 'EventSettings'),
});

const clientMetrics = createRoute({
  getParentRoute: () => cluster,
  path: '/settings/client-metrics',
  component: lazyRouteComponent(
    () => import('../../pages/settings/client-metrics/client-metrics.tsx'),
    'ClientMetrics',
  ),
});

/** What a cluster is called and how it is configured. */
export const settingsRoutes = [settings, clusterConfigs, eventSettings, clientMetrics] as const;
