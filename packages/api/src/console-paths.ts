/** Whether this release serves the console. Until then nothing links to it, and no answer has a `console_url`. */
export const hasConsole = false as boolean;

/** Paths of the console pages, below the base URL, for links in answers of tools and in messages of diagnostics. */
export const consolePaths = {
  home: () => '/',
  clusters: () => '/clusters',
  auditLog: () => '/audit-log',
  cluster: (clusterId: string) => cluster(clusterId),
  agents: (clusterId: string) => cluster(clusterId, 'agents'),
  topics: (clusterId: string) => cluster(clusterId, 'topics'),
  topic: (clusterId: string, topic: string) => cluster(clusterId, 'topics', topic),
  consumerGroups: (clusterId: string) => cluster(clusterId, 'consumer-groups'),
  consumerGroup: (clusterId: string, group: string) => cluster(clusterId, 'consumer-groups', group),
  subjects: (clusterId: string) => cluster(clusterId, 'subjects'),
  subject: (clusterId: string, subject: string) => cluster(clusterId, 'subjects', subject),
  diagnostics: (clusterId: string) => cluster(clusterId, 'diagnostics'),
  diagnostic: (clusterId: string, diagnostic: string) => cluster(clusterId, 'diagnostics', diagnostic),
  acls: (clusterId: string) => cluster(clusterId, 'acls'),
  pipelines: (clusterId: string) => cluster(clusterId, 'pipelines'),
  pipeline: (clusterId: string, pipelineId: string) => cluster(clusterId, 'pipelines', pipelineId),
  events: (clusterId: string, search: EventSearchLink = {}) => cluster(clusterId, 'events') + queryOf(search),
} as const;

/** The parameters of a link to an event search. Omitted ones have the defaults of the page. */
export interface EventSearchLink {
  readonly types?: string;
  readonly filter?: string;
  readonly relative?: string;
  readonly start?: string;
  readonly end?: string;
  readonly sort?: string;
  readonly group_by?: string;
  readonly then_by?: string;
  readonly event?: string;
}

function cluster(...steps: readonly string[]): string {
  return `/clusters/${steps.map(encodeURIComponent).join('/')}`;
}

function queryOf(search: EventSearchLink): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
}
