/** Groups of configs, in the order in which pages show them. The package `cluster` says which config is in which. */
export const configGroups = {
  retention: 'Retention',
  compaction: 'Compaction',
  topics: 'Topics',
  limits: 'Limits',
  scaling: 'Partition auto-scaling',
  schemas: 'Schema validation',
  timestamps: 'Timestamps',
  groups: 'Consumer groups',
  shareGroups: 'Share groups',
  streamsGroups: 'Streams groups',
  transactions: 'Transactions',
  access: 'Access control',
  events: 'Events',
  clientMetrics: 'Client metrics',
  storage: 'Object storage',
  compression: 'Compression',
  replication: 'Replication',
  segments: 'Segments and tiers',
  brokers: 'Brokers',
} as const;

export type ConfigGroup = keyof typeof configGroups;

export const configGroupIds = Object.keys(configGroups) as readonly ConfigGroup[];
