import { clientQuotas, isQuotaKey, parseBytes, type QuotaKey, quotaKeys } from '@weir/core';
import type { ValueType } from './value-type.ts';

interface Quota {
  readonly name: QuotaKey;
  /** `null` for none. */
  readonly value: number | null;
}

const unlimited = 'unlimited';

/** Quotas: `producer_byte_rate=10MiB,request_percentage=unlimited`, which removes the latter. */
export function quotas(): ValueType<readonly Quota[]> {
  return {
    label: 'quotas',
    syntax: '`producer_byte_rate=10MiB,request_percentage=unlimited`',
    parse(text) {
      const found = new Map<QuotaKey, number | null>();
      for (const part of text.split(',')) {
        const [name = '', ...rest] = part.trim().split('=');
        if (!isQuotaKey(name)) return { problem: `needs name=value with one of ${quotaKeys.join(', ')}` };
        const value = readQuota(name, rest.join('='));
        if (value === undefined)
          return { problem: `${name} needs ${ruleOf(name)} above 0, or ${unlimited} to remove the quota` };
        if (found.has(name)) return { problem: `${name} is listed twice` };
        found.set(name, value);
      }
      return { value: [...found].map(([name, value]) => ({ name, value })) };
    },
    print: (given) => given.map(({ name, value }) => `${name}=${value ?? unlimited}`).join(','),
  };
}

/** Returns `undefined` if the text is no value of the quota. */
function readQuota(name: QuotaKey, text: string): number | null | undefined {
  if (text === unlimited) return null;
  const { unit, isWhole } = clientQuotas[name];
  const isNumber = /^\d{1,15}(\.\d{1,6})?$/.test(text);
  const value = unit === 'bytes per second' ? parseBytes(text) : isNumber ? Number(text) : undefined;
  if (value === undefined || value <= 0) return undefined;
  return isWhole && !Number.isInteger(value) ? undefined : value;
}

function ruleOf(name: QuotaKey): string {
  const { unit, isWhole } = clientQuotas[name];
  if (unit === 'bytes per second') return 'bytes per second, such as 10MiB,';
  return isWhole ? 'a whole number' : 'a number';
}
