import { AlertIcon, type Icon, MeterIcon, PeopleIcon, RowsIcon, ServerIcon } from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';

interface ClusterPage {
  readonly label: string;
  readonly icon: Icon;
  readonly to: LinkProps['to'];
  /** Whether the link is that of the page alone, and not of those below it. */
  readonly isExact?: true;
}

/** The pages of a cluster in the order of the sidebar, which the palette has too. */
export const clusterPages: readonly ClusterPage[] = [
  { label: 'Overview', icon: MeterIcon, to: '/clusters/$clusterId', isExact: true },
  { label: 'Topics', icon: RowsIcon, to: '/clusters/$clusterId/topics' },
  { label: 'Consumer groups', icon: PeopleIcon, to: '/clusters/$clusterId/consumer-groups' },
  { label: 'Diagnostics', icon: AlertIcon, to: '/clusters/$clusterId/diagnostics' },
  { label: 'Agents', icon: ServerIcon, to: '/clusters/$clusterId/agents' },
];
