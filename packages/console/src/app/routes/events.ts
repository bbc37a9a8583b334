import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readSearch } from '../../pages/events/state/events-search.ts';
import { cluster } from './parents.ts';

const events = createRoute({
  getParentRoute: () => cluster,
  path: '/events',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('../../pages/events/events.tsx'), 'Events'),
});

const aclEvents = createRoute({
  getParentRoute: () => cluster,
  path: '/acls/events',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('../../pages/access/acl-events.tsx'), 'AclEvents'),
});

export const eventRoutes = [events, aclEvents] as const;
