import { createRouter } from '@tanstack/react-router';
import { accessRoutes } from './routes/access.ts';
import { accountRoutes, sessionlessRoutes } from './routes/account.ts';
import { eventRoutes } from './routes/events.ts';
import { groupRoutes } from './routes/groups.ts';
import { operationRoutes } from './routes/operations.ts';
import { cluster, frame, root, unknownPage, unknownPageOfCluster } from './routes/parents.ts';
import { pipelineRoutes } from './routes/pipelines.ts';
import { schemaRoutes } from './routes/schemas.ts';
import { settingsRoutes } from './routes/settings.ts';
import { tableRoutes } from './routes/tables.ts';
import { topicRoutes } from './routes/topics.ts';

/**
 * Every page and its path. Paths are those of `consolePaths` of the API, which links in answers of tools and in
 * diagnostics are made of. Pages are loaded when they are opened.
 */
const clusterPages = cluster.addChildren([
  ...operationRoutes,
  ...topicRoutes,
  ...groupRoutes,
  ...schemaRoutes,
  ...eventRoutes,
  ...pipelineRoutes,
  ...tableRoutes,
  ...accessRoutes,
  ...settingsRoutes,
  unknownPageOfCluster,
]);

export const router = createRouter({
  routeTree: root.addChildren([
    ...sessionlessRoutes,
    frame.addChildren([...accountRoutes, clusterPages, unknownPage]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
