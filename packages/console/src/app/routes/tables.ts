import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rangeSearch } from '../../ui/chart-range.ts';
import { cluster, listSearch, text } from './parents.ts';

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
  validateSearch: rangeSearch,
  component: lazyRouteComponent(() => import('../../pages/tables/table/overview.tsx'), 'TableOverview'),
});

const schema = createRoute({
  getParentRoute: () => table,
  path: '/schema',
  validateSearch: (search: Record<string, unknown>): { schema?: number | undefined } => ({
    schema: Number.isSafeInteger(search.schema) ? Number(search.schema) : undefined,
  }),
  component: lazyRouteComponent(() => import('../../pages/tables/table/schema.tsx'), 'TableSchemas'),
});

const snapshots = createRoute({
  getParentRoute: () => table,
  path: '/snapshots',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/tables/table/snapshots.tsx'), 'TableSnapshots'),
});

const files = createRoute({
  getParentRoute: () => table,
  path: '/files',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/tables/table/files.tsx'), 'TableFiles'),
});

const failures = createRoute({
  getParentRoute: () => table,
  path: '/failures',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../../pages/tables/table/failures.tsx'), 'TableFailures'),
});

const query = createRoute({
  getParentRoute: () => cluster,
  path: '/query',
  validateSearch: (search: Record<string, unknown>): { sql?: string | undefined } => ({
    sql: text(search.sql),
  }),
  component: lazyRouteComponent(() => import('../../pages/tables/query/query.tsx'), 'TableQuery'),
});

/** The tables of a data lake cluster. */
export const tableRoutes = [
  tables,
  table.addChildren([overview, schema, snapshots, files, failures]),
  query,
] as const;
