import {
  AlertIcon,
  ArchiveIcon,
  BellIcon,
  DeviceDesktopIcon,
  FileCodeIcon,
  GearIcon,
  GitBranchIcon,
  type Icon,
  LogIcon,
  MeterIcon,
  PeopleIcon,
  RowsIcon,
  ServerIcon,
  ShieldLockIcon,
  TasklistIcon,
} from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { OperationName } from '@weir/api/client';

interface ClusterPage extends ClusterTab {
  readonly icon: Icon;
  /** Whether the link is that of the page alone, and not of those below it. */
  readonly isExact?: true;
  /** Its further tabs. The sidebar has one entry for all of them, and the palette has each. */
  readonly tabs?: readonly ClusterTab[];
}

interface ClusterTab {
  readonly label: string;
  readonly to: NonNullable<LinkProps['to']>;
  /** What a person can do there; the palette leads to it. */
  readonly operations?: readonly OperationName[];
}

/** The pages of a cluster in the order of the sidebar, which the palette has too. */
export const clusterPages: readonly ClusterPage[] = [
  { label: 'Overview', icon: MeterIcon, to: '/clusters/$clusterId', isExact: true },
  {
    label: 'Topics',
    icon: RowsIcon,
    to: '/clusters/$clusterId/topics',
    operations: [
      'list_topics',
      'create_topic',
      'create_topic_clone',
      'describe_topic',
      'update_topic',
      'delete_topic',
      'undelete_topic',
      'delete_records',
      'read_records',
      'produce_record',
    ],
  },
  {
    label: 'Consumer groups',
    icon: PeopleIcon,
    to: '/clusters/$clusterId/consumer-groups',
    operations: [
      'list_consumer_groups',
      'describe_consumer_group',
      'preview_offset_reset',
      'reset_consumer_group_offsets',
      'delete_consumer_group',
    ],
  },
  {
    label: 'Schema registry',
    icon: FileCodeIcon,
    to: '/clusters/$clusterId/subjects',
    operations: [
      'list_subjects',
      'describe_schema',
      'check_schema_compatibility',
      'register_schema',
      'delete_subject',
      'delete_schema_version',
      'describe_registry_config',
      'update_registry_config',
    ],
  },
  {
    label: 'Events',
    icon: LogIcon,
    to: '/clusters/$clusterId/events',
    operations: ['search_events', 'get_events_timeline', 'list_event_fields', 'get_event'],
  },
  {
    label: 'Diagnostics',
    icon: AlertIcon,
    to: '/clusters/$clusterId/diagnostics',
    operations: ['list_diagnostics', 'get_diagnostic', 'mute_diagnostic', 'unmute_diagnostic'],
  },
  {
    label: 'Alerts',
    icon: BellIcon,
    to: '/clusters/$clusterId/alerts',
    operations: [
      'list_alerts',
      'create_alert',
      'update_alert',
      'delete_alert',
      'mute_alert',
      'unmute_alert',
      'list_alert_history',
      'list_alert_channels',
      'create_alert_channel',
      'update_alert_channel',
      'delete_alert_channel',
      'test_alert_channel',
    ],
  },
  { label: 'Agents', icon: ServerIcon, to: '/clusters/$clusterId/agents', operations: ['list_agents'] },
  {
    label: 'Clients',
    icon: DeviceDesktopIcon,
    to: '/clusters/$clusterId/clients',
    operations: ['list_clients'],
  },
  { label: 'Jobs', icon: TasklistIcon, to: '/clusters/$clusterId/jobs', operations: ['list_jobs'] },
  {
    label: 'Storage',
    icon: ArchiveIcon,
    to: '/clusters/$clusterId/storage',
    operations: ['describe_storage_costs'],
  },
  {
    label: 'Pipelines',
    icon: GitBranchIcon,
    to: '/clusters/$clusterId/pipelines',
    operations: [
      'list_pipelines',
      'create_pipeline',
      'check_pipeline_configuration',
      'preview_pipeline_configuration',
      'create_pipeline_configuration',
      'change_pipeline_state',
      'describe_pipeline',
      'delete_pipeline',
      'list_secrets',
      'create_secret',
      'update_secret',
      'delete_secret',
    ],
  },
  {
    label: 'Access',
    icon: ShieldLockIcon,
    to: '/clusters/$clusterId/acls',
    operations: [
      'virtual_clusters/acls/list',
      'virtual_clusters/acls/create',
      'virtual_clusters/acls/delete',
      'explain_access',
    ],
    tabs: [
      { label: 'ACL events', to: '/clusters/$clusterId/acls/events' },
      {
        label: 'Credentials',
        to: '/clusters/$clusterId/credentials',
        operations: [
          'list_virtual_cluster_credentials',
          'create_virtual_cluster_credentials',
          'rotate_virtual_cluster_credentials',
          'end_virtual_cluster_credentials_rotation',
          'delete_virtual_cluster_credentials',
        ],
      },
      {
        label: 'Workload identities',
        to: '/clusters/$clusterId/workload-identities',
        operations: [
          'list_workload_identity_federations',
          'create_workload_identity_federation',
          'delete_workload_identity_federation',
        ],
      },
      {
        label: 'Quotas',
        to: '/clusters/$clusterId/quotas',
        operations: [
          'list_client_quotas',
          'describe_effective_client_quotas',
          'update_client_quotas',
          'delete_client_quotas',
        ],
      },
    ],
  },
  {
    label: 'Settings',
    icon: GearIcon,
    to: '/clusters/$clusterId/settings',
    operations: [
      'describe_virtual_cluster',
      'rename_virtual_cluster',
      'describe_virtual_cluster_tags',
      'update_virtual_cluster_tags',
      'update_virtual_cluster_tier',
      'delete_virtual_cluster',
    ],
    tabs: [
      {
        label: 'Configuration',
        to: '/clusters/$clusterId/settings/configs',
        operations: [
          'describe_virtual_cluster_configuration',
          'list_cluster_config_definitions',
          'update_virtual_cluster_configuration',
        ],
      },
      {
        label: 'Event recording',
        to: '/clusters/$clusterId/settings/events',
        operations: ['get_events_state', 'update_events_state'],
      },
      {
        label: 'Client metrics',
        to: '/clusters/$clusterId/settings/client-metrics',
        operations: [
          'list_client_metrics_subscriptions',
          'describe_client_metrics_subscription',
          'update_client_metrics_subscriptions',
          'delete_client_metrics_subscriptions',
        ],
      },
    ],
  },
];

/** All of them and their tabs. */
export const clusterPagesAndTabs: readonly ClusterTab[] = clusterPages.flatMap((page) => [
  page,
  ...(page.tabs ?? []),
]);
