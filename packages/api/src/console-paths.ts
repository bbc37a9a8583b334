/** Paths of the console pages, below the base URL, for links in answers of tools and in messages of diagnostics. */
export const consolePaths = {
  home: () => '/',
  clusters: () => '/clusters',
  auditLog: () => '/audit-log',
  keys: () => '/keys',
  mcp: () => '/mcp',
  team: () => '/team',
  roles: () => '/team/roles',
  singleSignOn: () => '/team/sso',
  workspaces: () => '/workspaces',
  account: () => '/account',
  cluster: (clusterId: string) => cluster(clusterId),
  agents: (clusterId: string) => cluster(clusterId, 'agents'),
  agent: (clusterId: string, agentId: string) => cluster(clusterId, 'agents', agentId),
  clients: (clusterId: string) => cluster(clusterId, 'clients'),
  jobs: (clusterId: string) => cluster(clusterId, 'jobs'),
  storage: (clusterId: string) => cluster(clusterId, 'storage'),
  topics: (clusterId: string) => cluster(clusterId, 'topics'),
  topic: (clusterId: string, topic: string) => cluster(clusterId, 'topics', topic),
  consumerGroups: (clusterId: string) => cluster(clusterId, 'consumer-groups'),
  consumerGroup: (clusterId: string, group: string) => cluster(clusterId, 'consumer-groups', group),
  subjects: (clusterId: string) => cluster(clusterId, 'subjects'),
  subject: (clusterId: string, subject: string) => cluster(clusterId, 'subjects', subject),
  diagnostics: (clusterId: string) => cluster(clusterId, 'diagnostics'),
  diagnostic: (clusterId: string, diagnostic: string) => cluster(clusterId, 'diagnostics', diagnostic),
  alerts: (clusterId: string) => cluster(clusterId, 'alerts'),
  acls: (clusterId: string) => cluster(clusterId, 'acls'),
  aclEvents: (clusterId: string) => cluster(clusterId, 'acls', 'events'),
  credentials: (clusterId: string) => cluster(clusterId, 'credentials'),
  workloadIdentities: (clusterId: string) => cluster(clusterId, 'workload-identities'),
  quotas: (clusterId: string) => cluster(clusterId, 'quotas'),
  settings: (clusterId: string) => cluster(clusterId, 'settings'),
  configs: (clusterId: string) => cluster(clusterId, 'settings', 'configs'),
  eventSettings: (clusterId: string) => cluster(clusterId, 'settings', 'events'),
  clientMetrics: (clusterId: string) => cluster(clusterId, 'settings', 'client-metrics'),
  tables: (clusterId: string) => cluster(clusterId, 'tables'),
  table: (clusterId: string, table: string) => cluster(clusterId, 'tables', table),
  pipelines: (clusterId: string) => cluster(clusterId, 'pipelines'),
  pipeline: (clusterId: string, pipelineId: string) => cluster(clusterId, 'pipelines', pipelineId),
  events: (clusterId: string, search: EventSearchLink = {}) => cluster(clusterId, 'events') + queryOf(search),
} as const;

/** The parameters of a link to an event search. Omitted ones have the defaults of the page. */
export interface EventSearchLink {
  readonly types?: string;
  /** `show` includes events that are metrics in a search of all types. */
  readonly metrics?: string;
  readonly filter?: string;
  readonly relative?: string;
  readonly start?: string;
  readonly end?: string;
  readonly sort?: string;
  readonly group_by?: string;
  readonly then_by?: string;
  readonly event?: string;
  /** About when that event happened. */
  readonly near?: string;
  /** `today` or `yesterday`, or a day and a part of it, instead of `relative` or `start` and `end`. */
  readonly preset?: string;
  readonly day?: string;
  readonly from?: string;
  readonly to?: string;
  /** `utc`; local time by default. */
  readonly zone?: string;
  /** `builder`; text by default. */
  readonly mode?: string;
  /** How the timeline is drawn: `lines`, `table` or `off`; bars by default. */
  readonly chart?: string;
  readonly aggregation?: string;
  /** The field whose numbers are aggregated. */
  readonly field?: string;
  /** Fields that rows show, between commas. */
  readonly columns?: string;
  /** Text that narrows the loaded rows. */
  readonly find?: string;
  /** `on` adds events as they arrive, `paused` has stopped doing so. */
  readonly live?: string;
  /** A part of the time that is compared with the rest of it: two moments with a slash between them. */
  readonly compare?: string;
  /** The saved search that was opened. */
  readonly view?: string;
}

function cluster(...steps: readonly string[]): string {
  return `/clusters/${steps.map(encodeURIComponent).join('/')}`;
}

function queryOf(search: EventSearchLink): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
}
