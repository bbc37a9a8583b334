import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readSearch } from '../../pages/events/state/events-search.ts';
import { rangeSearch } from '../../ui/chart-range.ts';
import { cluster, listSearch } from './parents.ts';

const pipelines = createRoute({
  getParentRoute: () => cluster,
  path: '/pipelines',
  validateSearch: (
    search: Record<string, unknown>,
  ): ReturnType<typeof listSearch> & { readonly show?: 'create' | undefined } => ({
    ...listSearch(search),
    show: search.show === 'create' ? 'create' : undefined,
  }),
  component: lazyRouteComponent(() => import('../../pages/pipelines/pipelines.tsx'), 'Pipelines'),
});

const pipeline = createRoute({
  getParentRoute: () => cluster,
  path: '/pipelines/$pipelineId',
  component: lazyRouteComponent(() => import('../../pages/pipelines/pipeline-frame.tsx'), 'PipelineFrame'),
});

const editor = createRoute({
  getParentRoute: () => pipeline,
  path: '/',
  component: lazyRouteComponent(() => import('../../pages/pipelines/editor.tsx'), 'PipelineEditor'),
});

const versions = createRoute({
  getParentRoute: () => pipeline,
  path: '/versions',
  validateSearch: (search: Record<string, unknown>): { version?: number | undefined } => ({
    version: Number.isSafeInteger(search.version) ? Number(search.version) : undefined,
  }),
  component: lazyRouteComponent(() => import('../../pages/pipelines/versions.tsx'), 'PipelineVersions'),
});

const activity = createRoute({
  getParentRoute: () => pipeline,
  path: '/activity',
  validateSearch: rangeSearch,
  component: lazyRouteComponent(() => import('../../pages/pipelines/activity.tsx'), 'PipelineActivity'),
});

const logs = createRoute({
  getParentRoute: () => pipeline,
  path: '/logs',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('../../pages/pipelines/logs.tsx'), 'PipelineLogs'),
});

const topics = createRoute({
  getParentRoute: () => pipeline,
  path: '/topics',
  validateSearch: listSearch,
  component: lazyRouteComponent(
    () => import('../../pages/migrations/migration-topics.tsx'),
    'MigrationTopics',
  ),
});

const topic = createRoute({
  getParentRoute: () => pipeline,
  path: '/topics/$topic',
  component: lazyRouteComponent(() => import('../../pages/migrations/migration-topic.tsx'), 'MigrationTopic'),
});

const preflight = createRoute({
  getParentRoute: () => pipeline,
  path: '/preflight',
  component: lazyRouteComponent(() => import('../../pages/migrations/preflight.tsx'), 'MigrationPreflight'),
});

const cutOver = createRoute({
  getParentRoute: () => pipeline,
  path: '/cut-over',
  component: lazyRouteComponent(() => import('../../pages/migrations/cut-over.tsx'), 'CutOver'),
});

/** `pages/pipelines/pipeline-frame.tsx` has a tab for each that the type of the pipeline has. */
export const pipelineRoutes = [
  pipelines,
  pipeline.addChildren([editor, activity, versions, logs, topics, topic, preflight, cutOver]),
] as const;
