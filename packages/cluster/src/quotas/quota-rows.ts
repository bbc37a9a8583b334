import { clientQuotas, type QuotaKey } from '@weir/core';
import type { QuotaEntity } from '../calls/principal-calls.ts';

/** The upper end of Kafka's integers, as far as JavaScript numbers are exact. */
const wholeMax = Number.MAX_SAFE_INTEGER;

/** Returns what is wrong with setting this quota for this entity, if anything. */
export function quotaProblem(entity: QuotaEntity, key: string, value: number): string | undefined {
  const isIp = entity.some(({ type }) => type === 'ip');
  const row = Object.hasOwn(clientQuotas, key) ? clientQuotas[key as QuotaKey] : undefined;
  if (row === undefined || (row.of === 'ips') !== isIp) {
    const known = Object.entries(clientQuotas).filter(([, { of }]) => (of === 'ips') === isIp);
    return `${key} is not a quota of this entity; it can have ${known.map(([name]) => name).join(', ')}.`;
  }
  if (!(value > 0) || !Number.isFinite(value)) return `${key} must be above 0.`;
  if (row.isWhole && Math.abs(value - Math.round(value)) > 1e-6) return `${key} must be a whole number.`;
  if (row.isWhole && value > wholeMax) return `${key} is ${value}; at most ${wholeMax}.`;
  return undefined;
}
