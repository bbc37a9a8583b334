import { associationRoutes } from './association-routes.ts';
import { configRoutes } from './config-routes.ts';
import { exporterRoutes } from './exporter-routes.ts';
import { keyRoutes } from './key-routes.ts';
import type { RouteRow } from './route.ts';
import { schemaRoutes } from './schema-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { subjectRoutes } from './subject-routes.ts';

/** Chapters of the API with their routes. */
export const routeChapters: Readonly<Record<string, readonly RouteRow[]>> = {
  Subjects: subjectRoutes,
  Schemas: schemaRoutes,
  'Compatibility, config and mode': configRoutes,
  'Server and contexts': serverRoutes,
  Exporters: exporterRoutes,
  Associations: associationRoutes,
  'Keys for the encryption of fields': keyRoutes,
};

/** Every route of the registry. */
export const registryRoutes: readonly RouteRow[] = Object.values(routeChapters).flat();
