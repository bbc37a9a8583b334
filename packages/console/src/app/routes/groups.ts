import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rangeSearch } from '../../ui/chart-range.ts';
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
  validateSearch: rangeSearch,
  component: lazyRouteComponent(() => import('../../pages/groups/group.tsx'), 'Group'),
});

export const groupRoutes = [groups, group] as const;
