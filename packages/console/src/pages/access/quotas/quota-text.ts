import type { OutputOf } from '@weir/api/client';
import { clientQuotas, formatAmount, parseAmount, type QuotaKey, quotaKeys } from '@weir/core';

export type EntityQuotas = OutputOf<'list_client_quotas'>['client_quotas'][number];
export type QuotaEntity = EntityQuotas['entity'];
export type QuotaValues = EntityQuotas['quotas'];

/** Which names a quota has, as a person chooses it. */
export type EntityKind = 'user' | 'client-id' | 'user and client-id' | 'ip';

export function kindOf(entity: QuotaEntity): EntityKind {
  if (entity.length === 2) return 'user and client-id';
  return entity[0]!.type;
}

/** The quotas that an entity can have. */
export function keysOf(kind: EntityKind): readonly QuotaKey[] {
  return quotaKeys.filter((key) => (clientQuotas[key].of === 'ips') === (kind === 'ip'));
}

const words = {
  user: ['user', 'every other user'],
  'client-id': ['client id', 'every other client id'],
  ip: ['IP address', 'every other IP address'],
} as const;

/** `user shop`, `every other user`, `user shop with client id billing`. */
export function entityText(entity: QuotaEntity): string {
  return entity
    .map(({ type, name }) => (name === null ? words[type][1] : `${words[type][0]} ${name}`))
    .join(' with ');
}

export const keyOfEntity = (entity: QuotaEntity): string =>
  JSON.stringify(entity.map(({ type, name }) => [type, name]));

/** `10 MiB/s`, `50 %`, `5/s`. */
export function quotaText(key: QuotaKey, value: number): string {
  const { unit } = clientQuotas[key];
  if (unit === 'percent') return `${value} %`;
  return unit === 'per second' ? `${value}/s` : `${formatAmount(String(value), 'bytes')}/s`;
}

/** The number of what was typed: `10 MiB/s`, `50 %`. `undefined` if it is none above 0. */
export function parseQuota(key: QuotaKey, typed: string): number | undefined {
  const { unit, isWhole } = clientQuotas[key];
  const text = typed.trim().replace(unit === 'percent' ? /\s*%$/ : /\s*\/\s*s$/, '');
  const number = unit === 'bytes per second' ? parseAmount(text, 'bytes') : text;
  if (number === undefined || !/^\d{1,16}(\.\d{1,6})?$/.test(number)) return undefined;
  const value = Number(number);
  if (!(value > 0) || value > Number.MAX_SAFE_INTEGER) return undefined;
  return isWhole && !Number.isInteger(value) ? undefined : value;
}

/** What is wrong with what was typed; an empty field sets no quota. */
export function quotaProblem(key: QuotaKey, typed: string): string | undefined {
  if (typed.trim() === '' || parseQuota(key, typed) !== undefined) return undefined;
  const { unit, isWhole } = clientQuotas[key];
  if (unit === 'bytes per second') return 'must be bytes per second above 0, such as 10 MiB/s';
  return `must be a ${isWhole ? 'whole ' : ''}number above 0`;
}

/** The call that changes one set of quotas into another: `null` removes. */
export function quotaChanges(before: QuotaValues, after: QuotaValues): Record<string, number | null> {
  const keys = quotaKeys.filter((key) => before[key] !== after[key]);
  return Object.fromEntries(keys.map((key) => [key, after[key] ?? null]));
}
