const hourMs = 3_600_000;

/** A topic of the demo. */
interface DemoTopic {
  readonly partitions: number;
  readonly configs: Readonly<Record<string, string>>;
}

/**
 * The topics of a small web shop. What they keep is bounded, so that a demo can run for days; `audit-trail` keeps
 * everything so that a diagnostic fails, and gets a few bytes per second.
 */
export const demoTopics = {
  'page-views': { partitions: 6, configs: { 'retention.ms': `${6 * hourMs}` } },
  orders: { partitions: 3, configs: { 'retention.ms': `${6 * hourMs}` } },
  payments: { partitions: 3, configs: { 'retention.ms': `${6 * hourMs}` } },
  ledger: { partitions: 3, configs: { 'retention.ms': `${6 * hourMs}` } },
  shipments: {
    partitions: 2,
    configs: {
      'retention.ms': `${6 * hourMs}`,
      'service.value.schema.validation': 'true',
      'service.schema.validation.warning.only': 'true',
    },
  },
  customers: { partitions: 2, configs: { 'cleanup.policy': 'compact' } },
  inventory: { partitions: 1, configs: { 'cleanup.policy': 'compact' } },
  'large-orders': { partitions: 2, configs: { 'retention.ms': `${6 * hourMs}` } },
  'product-views': { partitions: 2, configs: { 'retention.ms': `${6 * hourMs}` } },
  'audit-trail': { partitions: 1, configs: { 'retention.ms': '-1' } },
} as const satisfies Readonly<Record<string, DemoTopic>>;

export type DemoTopicName = keyof typeof demoTopics;

export const demoTopicNames = Object.keys(demoTopics) as readonly DemoTopicName[];
