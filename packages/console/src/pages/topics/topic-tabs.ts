import type { LinkProps } from '@tanstack/react-router';

interface TopicTab {
  readonly label: string;
  readonly to: NonNullable<LinkProps['to']>;
}

/** The pages of a topic in the order of their tabs. A page that does not exist has no tab. */
export const topicTabs: readonly TopicTab[] = [
  { label: 'Overview', to: '/clusters/$clusterId/topics/$topic' },
  { label: 'Messages', to: '/clusters/$clusterId/topics/$topic/messages' },
  { label: 'Configs', to: '/clusters/$clusterId/topics/$topic/configs' },
  { label: 'Consumers', to: '/clusters/$clusterId/topics/$topic/consumers' },
  { label: 'Schema', to: '/clusters/$clusterId/topics/$topic/schema' },
  { label: 'Access', to: '/clusters/$clusterId/topics/$topic/access' },
];
