import type { QuotaEntity } from '../calls/principal-calls.ts';

/** Every quota. Agents enforce them in their quotas/. */
const quotaRows = {
  producer_byte_rate: { of: 'clients', isWhole: true },
  consumer_byte_rate: { of: 'clients', isWhole: true },
  /** Percent of one CPU. */
  request_percentage: { of: 'clients', isWhole: false },
  /** Partitions created and deleted per second. */
  controller_mutation_rate: { of: 'clients', isWhole: false },
  connection_creation_rate: { of: 'ips', isWhole: true },
} as const satisfies Record<string, QuotaRow>;

interface QuotaRow {
  /** Whether it applies to users and client ids, or to IP addresses. */
  readonly of: 'clients' | 'ips';
  readonly isWhole: boolean;
}

export type QuotaKey = keyof typeof quotaRows;

/** The upper end of Kafka's integers, as far as JavaScript numbers are exact. */
const wholeMax = Number.MAX_SAFE_INTEGER;

/** Returns what is wrong with setting this quota for this entity, if anything. */
export function quotaProblem(entity: QuotaEntity, key: string, value: number): string | undefined {
  const isIp = entity.some(({ type }) => type === 'ip');
  const row: QuotaRow | undefined = Object.hasOwn(quotaRows, key) ? quotaRows[key as QuotaKey] : undefined;
  if (row === undefined || (row.of === 'ips') !== isIp) {
    const known = Object.entries(quotaRows).filter(([, { of }]) => (of === 'ips') === isIp);
    return `${key} is not a quota of this entity; it can have ${known.map(([name]) => name).join(', ')}.`;
  }
  if (!(value > 0) || !Number.isFinite(value)) return `${key} must be above 0.`;
  if (row.isWhole && Math.abs(value - Math.round(value)) > 1e-6) return `${key} must be a whole number.`;
  if (row.isWhole && value > wholeMax) return `${key} is ${value}; at most ${wholeMax}.`;
  return undefined;
}
