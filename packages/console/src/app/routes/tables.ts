import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { cluster, listSearch } from './parents.ts';

const tables = createRoute({
  getParentRoute: () => cluster,
  path: '/tables',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/tables/tables.tsx'), 'Tables'),
});

/** The pages of a table are below it, each with a tab in `pages/tables/table-frame.tsx`. */
const table = createRoute({
  getParentRoute: () => cluster,
  path: '/tables/$table',
  component: lazyRouteComponent(() => import('../../pages/tables/table-frame.tsx'), 'TableFrame'),
});

const overview = createRoute({
  getParentRoute: () => table,
  path: '/',
  component: lazyRouteComponent(() => import('../../pages/tables/table/overview.tsx'), 'TableOverview'),
});

/** The tables of a data lake cluster. */
export const tableRoutes = [tables, table.addChildren([overview])] as const;
