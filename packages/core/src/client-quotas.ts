/** What quotas of Kafka clients there are, and whose they can be. */

export const quotaEntityTypes = ['user', 'client-id', 'ip'] as const;

export type QuotaEntityType = (typeof quotaEntityTypes)[number];

interface ClientQuota {
  readonly title: string;
  /** Whether it applies to users and client ids, or to IP addresses. */
  readonly of: 'clients' | 'ips';
  readonly isWhole: boolean;
  readonly unit: 'bytes per second' | 'percent' | 'per second';
  readonly doc: string;
}

/** Every quota. Agents enforce them, each for itself as in Kafka. */
export const clientQuotas = {
  producer_byte_rate: {
    title: 'Produce rate',
    of: 'clients',
    isWhole: true,
    unit: 'bytes per second',
    doc: 'Bytes per second that clients write at each agent.',
  },
  consumer_byte_rate: {
    title: 'Fetch rate',
    of: 'clients',
    isWhole: true,
    unit: 'bytes per second',
    doc: 'Bytes per second that clients read at each agent.',
  },
  request_percentage: {
    title: 'Request time',
    of: 'clients',
    isWhole: false,
    unit: 'percent',
    doc: 'Percent of one CPU that requests take at each agent.',
  },
  controller_mutation_rate: {
    title: 'Mutation rate',
    of: 'clients',
    isWhole: false,
    unit: 'per second',
    doc: 'Partitions created and deleted per second.',
  },
  connection_creation_rate: {
    title: 'Connection rate',
    of: 'ips',
    isWhole: true,
    unit: 'per second',
    doc: 'New connections per second at each agent.',
  },
} as const satisfies Record<string, ClientQuota>;

export type QuotaKey = keyof typeof clientQuotas;

export const quotaKeys = Object.keys(clientQuotas) as readonly QuotaKey[];

export function isQuotaKey(text: string): text is QuotaKey {
  return Object.hasOwn(clientQuotas, text);
}
