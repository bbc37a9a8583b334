import {
  AlertIcon,
  ArchiveIcon,
  BellIcon,
  DatabaseIcon,
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
  TableIcon,
  TasklistIcon,
} from '@primer/octicons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { OperationName } from '@weir/api/client';
import { clusterKind } from '@weir/core';

type Kind = ReturnType<typeof clusterKind>;

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
  /** The kinds of clusters that have it; absent for all of them. */
  readonly kinds?: readonly Kind[];
}

/** What is about Kafka or schemas, of which a data lake has neither. */
const notOfLakes: readonly Kind[] = ['kafka', 'schema registry'];
const ofKafka: readonly Kind[] = ['kafka'];
const ofLakes: readonly Kind[] = ['data lake'];

const pipelines: ClusterPage = {
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
    'orbit/preflight',
    'orbit/describe_migration',
    'orbit/auto_migration/start_forwarding',
    'orbit/auto_migration/initiate',
    'orbit/auto_migration/abort',
    'orbit/delete_copy',
  ],
};

/** The pages of clusters in the order of the sidebar, which the palette has too. */
const clusterPages: readonly ClusterPage[] = [
  { label: 'Overview', icon: MeterIcon, to: '/clusters/$clusterId', isExact: true },
  {
    label: 'Tables',
    icon: TableIcon,
    to: '/clusters/$clusterId/tables',
    kinds: ofLakes,
    operations: [
      'dl/list_tables',
      'dl/get_table',
      'dl/delete_table',
      'dl/describe_table',
      'dl/list_table_files',
      'dl/list_table_failures',
      'dl/replay_table_failures',
    ],
  },
  {
    label: 'Query',
    icon: DatabaseIcon,
    to: '/clusters/$clusterId/query',
    kinds: ofLakes,
    operations: ['dl/query_table'],
  },
  { ...pipelines, kinds: ofLakes },
  {
    label: 'Topics',
    icon: RowsIcon,
    to: '/clusters/$clusterId/topics',
    kinds: notOfLakes,
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
    kinds: notOfLakes,
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
    kinds: notOfLakes,
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
    kinds: notOfLakes,
    operations: ['list_clients'],
  },
  { label: 'Jobs', icon: TasklistIcon, to: '/clusters/$clusterId/jobs', operations: ['list_jobs'] },
  {
    label: 'Storage',
    icon: ArchiveIcon,
    to: '/clusters/$clusterId/storage',
    kinds: notOfLakes,
    operations: ['describe_storage_costs'],
  },
  { ...pipelines, kinds: notOfLakes },
  {
    label: 'Access',
    icon: ShieldLockIcon,
    to: '/clusters/$clusterId/acls',
    kinds: notOfLakes,
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
        kinds: ofKafka,
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
        kinds: ofKafka,
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

/** The pages that a cluster of its kind has. */
export function pagesOfCluster(clusterId: string): readonly ClusterPage[] {
  return clusterPages.filter((page) => isOf(page, clusterKind(clusterId)));
}

/** All of them and their tabs. */
export function pagesAndTabsOfCluster(clusterId: string): readonly ClusterTab[] {
  const kind = clusterKind(clusterId);
  return pagesOfCluster(clusterId).flatMap((page) => [
    page,
    ...(page.tabs ?? []).filter((tab) => isOf(tab, kind)),
  ]);
}

const does = (name: OperationName) => (page: ClusterTab) => page.operations?.includes(name) === true;

/** The page of a cluster on which an operation is done. */
export function pageOfOperation(name: OperationName, clusterId: string): ClusterTab | undefined {
  return pagesAndTabsOfCluster(clusterId).find(does(name));
}

/** Whether an operation is done on a page that only clusters of another kind have. */
export function isOfOtherKinds(name: OperationName, clusterId: string): boolean {
  return (
    pageOfOperation(name, clusterId) === undefined &&
    clusterPages.some((page) => [page, ...(page.tabs ?? [])].some(does(name)))
  );
}

function isOf({ kinds }: ClusterTab, kind: Kind): boolean {
  return kinds === undefined || kinds.includes(kind);
}
