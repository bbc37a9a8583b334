/**
 * Which package may import which. A package is a noun of the domain, and dependencies point only from the concrete to
 * the general.
 *
 * Adding an edge is a decision: change this table in a commit of its own, with the reason. The table also lists
 * packages that do not exist yet, so that their place is decided before they are added.
 */
export interface Layer {
  /** Workspace packages that it may import. */
  readonly mayImport: readonly string[];
  /** Workspace packages that its tests may import in addition: a part is also tested within the whole. */
  readonly testsMayImport?: readonly string[];
  /**
   * Node's modules that it may import. Packages without I/O list the few that only compute; `any` is for packages that
   * use disks, sockets and processes.
   */
  readonly builtins: readonly string[] | 'any';
}

export const layers: Readonly<Record<string, Layer>> = {
  core: { mayImport: [], builtins: [] },
  wire: { mayImport: ['core'], builtins: ['zlib'] },
  // Connections to SQLite and PostgreSQL, and the threads that have them; it knows no table.
  sql: { mayImport: ['core'], builtins: 'any' },
  storage: { mayImport: ['core', 'http', 'sql'], builtins: 'any' },
  // Shared by agents and leaders: the cluster port, its types, configs, and the rules for ACLs and quotas.
  cluster: {
    mayImport: ['core'],
    testsMayImport: ['groups', 'journal', 'metadata', 'rpc'],
    builtins: ['crypto', 'dns', 'net', 'util'],
  },
  // The state machine has no I/O, clock or randomness.
  machine: { mayImport: ['core', 'cluster'], testsMayImport: ['rpc'], builtins: [] },
  groups: { mayImport: ['core', 'cluster', 'machine'], testsMayImport: ['metadata'], builtins: [] },
  journal: { mayImport: ['core', 'cluster', 'machine', 'sql'], builtins: 'any' },
  rpc: { mayImport: ['core', 'cluster'], testsMayImport: ['metadata'], builtins: 'any' },
  // Leads clusters: state machine and groups over a journal.
  metadata: {
    mayImport: ['core', 'cluster', 'machine', 'groups', 'journal'],
    testsMayImport: ['rpc'],
    builtins: ['crypto'],
  },
  // Must run in a browser, because the console imports it.
  api: { mayImport: ['core'], builtins: [] },
  // Verifies tokens: of clients, for agents; of agents and users, for the control plane. Issuers that tenants name are
  // reached by the rules of `cluster` for hosts.
  oidc: { mayImport: ['core', 'cluster', 'http'], builtins: 'any' },
  // What every HTTP server and client of ours shares. `storage` has a client for objects beside it, made for speed.
  http: { mayImport: ['core'], testsMayImport: ['security'], builtins: 'any' },
  // Who a client is and what it may do: logins, certificates, ACLs.
  security: {
    mayImport: ['core', 'http', 'wire', 'storage', 'cluster', 'oidc', 'events'],
    testsMayImport: ['broker', 'agent', 'metadata'],
    builtins: 'any',
  },
  // The Kafka protocol over a bucket: connections, handlers, write path, read path, the view of the cluster.
  broker: {
    mayImport: ['core', 'http', 'security', 'wire', 'storage', 'cluster', 'rpc', 'registry'],
    testsMayImport: ['agent', 'events', 'journal', 'metadata'],
    builtins: 'any',
  },
  // A Kafka client of any cluster.
  client: { mayImport: ['core', 'wire', 'cluster'], testsMayImport: ['cli'], builtins: 'any' },
  // The same records over HTTP, and the listener of the schema registry.
  gateway: {
    mayImport: ['core', 'http', 'security', 'broker', 'client', 'wire', 'cluster', 'events', 'registry'],
    testsMayImport: ['agent', 'metadata'],
    builtins: 'any',
  },
  // Background jobs and queries of agents.
  jobs: {
    mayImport: [
      'core',
      'broker',
      'client',
      'wire',
      'storage',
      'cluster',
      'events',
      'migration',
      'pipelines',
      'registry',
      'tables',
    ],
    testsMayImport: ['agent', 'metadata'],
    builtins: 'any',
  },
  // Composes the others into a process, reports to the control plane, and writes events.
  agent: {
    mayImport: [
      ...['core', 'http', 'security', 'broker', 'gateway', 'jobs'],
      ...['wire', 'storage', 'cluster', 'rpc', 'events', 'registry'],
    ],
    testsMayImport: ['metadata'],
    builtins: 'any',
  },
  // Its state is entries of the cluster's machine, which agents and control planes replicate.
  registry: {
    mayImport: ['core', 'cluster', 'http'],
    testsMayImport: ['journal', 'metadata'],
    builtins: 'any',
  },
  events: { mayImport: ['core', 'wire', 'storage'], builtins: 'any' },
  // Mappings of documents. Patterns are limited as in `cluster`, and compression as in `wire`.
  bloblang: { mayImport: ['core', 'cluster', 'wire'], builtins: ['crypto', 'zlib'] },
  // Configurations of pipelines, and the engine that runs them. It reaches every cluster as a client does.
  pipelines: {
    mayImport: ['api', 'bloblang', 'client', 'cluster', 'core', 'http', 'registry', 'storage', 'wire'],
    // A cluster to read from and write to, and certificates.
    testsMayImport: ['cli', 'security'],
    builtins: 'any',
  },
  // Iceberg tables without Parquet. Files are reached through the port of `storage`, catalog servers over HTTP.
  iceberg: { mayImport: ['core', 'http', 'storage'], builtins: ['crypto', 'net', 'zlib'] },
  // Topics as tables: configurations, ingestion, maintenance and queries. YAML is read as in `pipelines`.
  tables: {
    mayImport: [
      ...['bloblang', 'client', 'cluster', 'core', 'iceberg', 'pipelines'],
      ...['registry', 'storage', 'wire'],
    ],
    testsMayImport: ['cli', 'security'],
    builtins: 'any',
  },
  // Copies of other Kafka clusters: configurations, the source as its clients see it, and rules without I/O.
  migration: {
    mayImport: ['client', 'cluster', 'core', 'pipelines', 'storage', 'wire'],
    // A cluster to copy, and certificates.
    testsMayImport: ['cli', 'security'],
    builtins: 'any',
  },
  // Tools for models, derived from the API catalogue; the server of the tools supplies the operation handlers.
  mcp: { mayImport: ['core', 'api', 'events', 'http'], builtins: 'any' },
  // Checks of a cluster as pure functions over a snapshot, and what becomes of their findings.
  diagnostics: {
    mayImport: ['core', 'cluster', 'api', 'events', 'registry'],
    testsMayImport: ['controlplane', 'metadata'],
    builtins: ['crypto', 'perf_hooks', 'util'],
  },
  // Validates bucket URLs with the parser of `storage`.
  controlplane: {
    mayImport: [
      'core',
      'http',
      'sql',
      'storage',
      'cluster',
      'journal',
      'rpc',
      'metadata',
      'oidc',
      'api',
      'events',
      'diagnostics',
      'mcp',
      'migration',
      'pipelines',
      'registry',
      'tables',
    ],
    // Certificates of mail servers.
    testsMayImport: ['security'],
    builtins: 'any',
  },
  // Pages in a browser: the API's client, the language of event filters, and clocks.
  console: { mayImport: ['core', 'api', 'events'], builtins: [] },
  cli: {
    mayImport: [
      'core',
      'wire',
      'storage',
      'cluster',
      'journal',
      'rpc',
      'api',
      'http',
      'security',
      'broker',
      'client',
      'gateway',
      'jobs',
      'agent',
      'registry',
      'events',
      'bloblang',
      'pipelines',
      'tables',
      'migration',
      'controlplane',
    ],
    testsMayImport: ['diagnostics', 'metadata'],
    builtins: 'any',
  },
  // `weir/testing`: a cluster for tests of other programs, as a child or in their process.
  embedded: { mayImport: ['core', 'cli', 'client'], builtins: 'any' },
};

/** Third-party packages that only tests and their helpers may import. */
export const testOnlyPackages: readonly string[] = [
  'fast-check',
  '@lezer/generator',
  '@modelcontextprotocol/client',
  '@peculiar/x509',
  'reflect-metadata',
];
