import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { cluster, listSearch } from './parents.ts';

const groups = createRoute({
  getParentRoute: () => cluster,
  path: '/consumer-groups',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/groups/groups.tsx'), 'Groups'),
});

const group = createRoute({
  getParentRoute: () => cluster,
  path: '/consumer-groups/$group',
  component: lazyRouteComponent(() => import('../../pages/groups/group.tsx'), 'Group'),
});

export const groupRoutes = [groups, group] as const;
