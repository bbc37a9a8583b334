import {
  type ClientQuotaFilter,
  type ClientQuotas,
  type QuotaEntity,
  type QuotaFilterPart,
  quotaEntityOf,
  readQuotas,
} from '@weir/cluster';
import type { KeyValueStore } from '../kv/key-value-store.ts';

/** Returns the quotas of entities that match all parts of the filter; a strict filter without parts matches none. */
export function describeQuotas(kv: Pick<KeyValueStore, 'of'>, filter: ClientQuotaFilter): ClientQuotas[] {
  const found: ClientQuotas[] = [];
  for (const [key, value] of kv.of('clientQuota')) {
    const entity = quotaEntityOf(key);
    if (fits(entity, filter)) found.push({ entity, quotas: readQuotas(value) });
  }
  return found;
}

function fits(entity: QuotaEntity, { parts, isStrict }: ClientQuotaFilter): boolean {
  if (isStrict && entity.length !== parts.length) return false;
  return parts.every((part) => entity.some((one) => one.type === part.type && isNamed(one.name, part)));
}

function isNamed(name: string | null, part: QuotaFilterPart): boolean {
  return part.match === 'any' || name === part.name;
}
