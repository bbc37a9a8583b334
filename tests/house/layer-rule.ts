/**
 * Who may import whom. A package is a noun of the domain, and arrows point only from the concrete to the general.
 *
 * Adding an edge is a decision: change this table in a commit of its own, with the reason. Packages that do not exist yet
 * stand here already, so that they are born in the right place.
 */
export interface Layer {
  /** Packages of ours that it may import. */
  readonly mayImport: readonly string[];
  /** Packages of ours that its tests may import besides: a part is also tested within the whole. */
  readonly testsMayImport?: readonly string[];
  /**
   * Node's modules that it may import. Packages without I/O name the few that compute; `any` is for those that talk to
   * disks, sockets and processes.
   */
  readonly builtins: readonly string[] | 'any';
}

export const layers: Readonly<Record<string, Layer>> = {
  core: { mayImport: [], builtins: [] },
  wire: { mayImport: ['core'], builtins: ['zlib'] },
  storage: { mayImport: ['core'], builtins: 'any' },
  // What agents and leaders have in common: the calls of a cluster, their types, configs, and the rules of ACLs and quotas.
  cluster: {
    mayImport: ['core'],
    testsMayImport: ['groups', 'journal', 'metadata', 'rpc'],
    builtins: ['crypto', 'net', 'util'],
  },
  // The state machine decides without I/O, clock or chance.
  machine: { mayImport: ['core', 'cluster'], testsMayImport: ['rpc'], builtins: [] },
  groups: { mayImport: ['core', 'cluster', 'machine'], testsMayImport: ['metadata'], builtins: [] },
  journal: { mayImport: ['core', 'cluster', 'machine'], builtins: 'any' },
  rpc: { mayImport: ['core', 'cluster'], testsMayImport: ['metadata'], builtins: 'any' },
  // Leads clusters: machine and groups over a journal.
  metadata: {
    mayImport: ['core', 'cluster', 'machine', 'groups', 'journal'],
    testsMayImport: ['rpc'],
    builtins: ['crypto'],
  },
  // The console imports it, so it must run in a browser.
  api: { mayImport: ['core'], builtins: [] },
  // Whose tokens are believed: agents ask for clients that log in, the control plane for agents and users.
  oidc: { mayImport: ['core'], builtins: 'any' },
  // Agents write events, and answer questions about them.
  agent: {
    mayImport: ['core', 'wire', 'storage', 'cluster', 'rpc', 'oidc', 'events'],
    testsMayImport: ['journal', 'metadata'],
    builtins: 'any',
  },
  registry: { mayImport: ['core', 'cluster'], builtins: 'any' },
  events: { mayImport: ['core', 'wire', 'storage'], builtins: 'any' },
  pipelines: { mayImport: ['core', 'wire', 'storage'], builtins: 'any' },
  tableflow: { mayImport: ['core', 'wire', 'storage', 'registry'], builtins: 'any' },
  orbit: { mayImport: ['core', 'wire', 'storage'], builtins: 'any' },
  // Tools for models, made of the catalogue; whoever serves it says how operations are done.
  mcp: { mayImport: ['core', 'api', 'events'], builtins: 'any' },
  // It checks bucket URLs by the parser of those who open them.
  controlplane: {
    mayImport: ['core', 'storage', 'cluster', 'journal', 'rpc', 'metadata', 'oidc', 'api', 'events', 'mcp'],
    builtins: 'any',
  },
  console: { mayImport: ['api'], builtins: [] },
  cli: {
    mayImport: [
      'core',
      'wire',
      'storage',
      'cluster',
      'journal',
      'rpc',
      'api',
      'agent',
      'registry',
      'events',
      'pipelines',
      'tableflow',
      'orbit',
      'controlplane',
    ],
    testsMayImport: ['metadata'],
    builtins: 'any',
  },
};

/** Third-party packages that only tests and their helpers may import. */
export const testOnlyPackages: readonly string[] = [
  'fast-check',
  '@lezer/generator',
  '@modelcontextprotocol/client',
  '@peculiar/x509',
  'reflect-metadata',
];
