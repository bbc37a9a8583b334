import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readMessagesSearch } from '../../pages/messages/state/messages-search.ts';
import { rangeSearch } from '../../ui/chart-range.ts';
import { cluster, configSearch, listSearch } from './parents.ts';

interface Shown {
  readonly show?: 'create' | 'deleted' | undefined;
  /** Whether topics of the service are listed too. */
  readonly internal?: true | undefined;
}

const dialogOf = (value: unknown): Shown['show'] =>
  value === 'create' || value === 'deleted' ? value : undefined;

const topics = createRoute({
  getParentRoute: () => cluster,
  path: '/topics',
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof listSearch> & Shown => ({
    ...listSearch(search),
    show: dialogOf(search.show),
    internal: search.internal === true ? true : undefined,
  }),
  component: lazyRouteComponent(() => import('../../pages/topics/topics.tsx'), 'Topics'),
});

/** The pages of a topic are below it, each with a tab in `pages/topics/topic-tabs.ts`. */
const topic = createRoute({
  getParentRoute: () => cluster,
  path: '/topics/$topic',
  component: lazyRouteComponent(() => import('../../pages/topics/topic-frame.tsx'), 'TopicFrame'),
});

const partitions = createRoute({
  getParentRoute: () => topic,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => ({ ...listSearch(search), ...rangeSearch(search) }),
  component: lazyRouteComponent(() => import('../../pages/topics/topic/partitions.tsx'), 'Partitions'),
});

const configs = createRoute({
  getParentRoute: () => topic,
  path: '/configs',
  validateSearch: configSearch,
  component: lazyRouteComponent(() => import('../../pages/topics/topic/configs.tsx'), 'Configs'),
});

const consumers = createRoute({
  getParentRoute: () => topic,
  path: '/consumers',
  component: lazyRouteComponent(() => import('../../pages/topics/topic/consumers.tsx'), 'Consumers'),
});

const schema = createRoute({
  getParentRoute: () => topic,
  path: '/schema',
  component: lazyRouteComponent(() => import('../../pages/topics/topic/schema.tsx'), 'TopicSchema'),
});

const access = createRoute({
  getParentRoute: () => topic,
  path: '/access',
  component: lazyRouteComponent(() => import('../../pages/topics/topic/access.tsx'), 'TopicAccess'),
});

const messages = createRoute({
  getParentRoute: () => topic,
  path: '/messages',
  validateSearch: readMessagesSearch,
  component: lazyRouteComponent(() => import('../../pages/messages/messages.tsx'), 'Messages'),
});

export const topicRoutes = [
  topics,
  topic.addChildren([partitions, messages, configs, consumers, schema, access]),
] as const;
