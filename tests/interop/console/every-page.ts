/** Every page of the console with the data of the demo, in the order of the sidebar. */

interface PageOfDemo {
  /** The name of its picture. */
  readonly name: string;
  /** `{id}` is the cluster, `{agent}` its first agent. */
  readonly path: string;
  /** What shows that the page is complete. */
  readonly shows: string | RegExp;
}

export const everyPage: readonly PageOfDemo[] = [
  { name: 'clusters', path: '/clusters', shows: 'Kafka' },
  { name: 'cluster-create', path: '/clusters?show=create', shows: 'Kafka' },
  { name: 'overview', path: '/clusters/{id}', shows: 'Failing diagnostics' },
  { name: 'topics', path: '/clusters/{id}/topics', shows: 'page-views' },
  { name: 'topic-create', path: '/clusters/{id}/topics?show=create', shows: 'page-views' },
  { name: 'topic', path: '/clusters/{id}/topics/orders', shows: /partitions/ },
  { name: 'messages', path: '/clusters/{id}/topics/orders/messages', shows: /scanned|credential/i },
  { name: 'topic-configs', path: '/clusters/{id}/topics/orders/configs', shows: 'retention.ms' },
  { name: 'topic-consumers', path: '/clusters/{id}/topics/orders/consumers', shows: 'order-fulfilment' },
  { name: 'topic-schema', path: '/clusters/{id}/topics/orders/schema', shows: 'Change configs' },
  { name: 'topic-access', path: '/clusters/{id}/topics/orders/access', shows: /rules? (?:is|are) about it/ },
  { name: 'consumer-groups', path: '/clusters/{id}/consumer-groups', shows: 'clickstream-analytics' },
  {
    name: 'consumer-group',
    path: '/clusters/{id}/consumer-groups/clickstream-analytics',
    shows: 'page-views',
  },
  { name: 'subjects', path: '/clusters/{id}/subjects', shows: /-value/ },
  { name: 'subject', path: '/clusters/{id}/subjects/orders-value', shows: 'Referenced by' },
  { name: 'subject-compare', path: '/clusters/{id}/subjects/orders-value/compare', shows: /ersion/ },
  { name: 'subject-edit', path: '/clusters/{id}/subjects/orders-value/edit', shows: 'Register' },
  { name: 'subject-config', path: '/clusters/{id}/subjects/orders-value/config', shows: 'Compatibility' },
  { name: 'registry-config', path: '/clusters/{id}/registry-config', shows: 'Compatibility' },
  { name: 'events', path: '/clusters/{id}/events?group_by=type', shows: /One point per/ },
  { name: 'diagnostics', path: '/clusters/{id}/diagnostics', shows: 'Diagnostics' },
  {
    name: 'diagnostic',
    path: '/clusters/{id}/diagnostics/consumer_group_falling_behind',
    shows: 'What to do',
  },
  { name: 'alerts', path: '/clusters/{id}/alerts', shows: 'No alerts yet' },
  { name: 'agents', path: '/clusters/{id}/agents', shows: /proxy/ },
  { name: 'agent', path: '/clusters/{id}/agents/{agent}', shows: 'CPU, last hour' },
  { name: 'clients', path: '/clusters/{id}/clients', shows: 'weir' },
  { name: 'jobs', path: '/clusters/{id}/jobs', shows: 'Agents by kind of job' },
  { name: 'storage', path: '/clusters/{id}/storage', shows: 'Reclaimable storage' },
  { name: 'pipelines', path: '/clusters/{id}/pipelines', shows: 'Pipelines' },
  { name: 'acls', path: '/clusters/{id}/acls', shows: 'User:marketing' },
  { name: 'acl-events', path: '/clusters/{id}/acls/events', shows: /One point per/ },
  { name: 'credentials', path: '/clusters/{id}/credentials', shows: 'storefront' },
  { name: 'workload-identities', path: '/clusters/{id}/workload-identities', shows: 'Workload identities' },
  { name: 'quotas', path: '/clusters/{id}/quotas', shows: 'Which quotas apply' },
  { name: 'settings', path: '/clusters/{id}/settings', shows: 'Danger zone' },
  { name: 'settings-configs', path: '/clusters/{id}/settings/configs', shows: 'num.partitions' },
  { name: 'settings-events', path: '/clusters/{id}/settings/events', shows: 'Agent logs' },
  { name: 'client-metrics', path: '/clusters/{id}/settings/client-metrics', shows: 'No subscriptions' },
  { name: 'keys', path: '/keys', shows: 'API keys' },
  { name: 'mcp', path: '/mcp', shows: 'MCP' },
  { name: 'team', path: '/team', shows: 'Team' },
  { name: 'roles', path: '/team/roles', shows: 'Roles' },
  { name: 'sso', path: '/team/sso', shows: 'Single sign-on' },
  { name: 'workspaces', path: '/workspaces', shows: 'Workspaces' },
  { name: 'account', path: '/account', shows: 'Sessions' },
  { name: 'audit-log', path: '/audit-log', shows: 'Audit log' },
];
