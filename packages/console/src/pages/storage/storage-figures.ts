import type { OutputOf } from '@weir/api/client';
import { dollarText, type Prices } from '@weir/api/storage-costs';
import { GiB } from '@weir/core';

type Costs = OutputOf<'describe_storage_costs'>;

/** A month of bills, as the operation counts it. */
const monthSeconds = 730 * 3_600;

const requestKinds = [
  { name: 'put', label: 'PUT' },
  { name: 'get', label: 'GET and HEAD' },
  { name: 'list', label: 'LIST' },
  { name: 'delete', label: 'DELETE' },
] as const;

export interface CostRow {
  readonly label: string;
  readonly amount: { readonly value: number; readonly unit: 'bytes' | 'requests' };
  /** Dollars for a unit of it, and what the unit is. */
  readonly price: number;
  readonly priceOf: string;
  readonly dollars: number;
}

/** What a month costs, by what is billed: stored bytes and each kind of request. */
export function costRows({ levels, dead_bytes, requests, prices }: Costs): readonly CostRow[] {
  const bytes = levels.reduce((sum, level) => sum + level.bytes, 0);
  const stored = (label: string, value: number): CostRow => ({
    label,
    amount: { value, unit: 'bytes' },
    price: prices.storage,
    priceOf: 'GiB',
    dollars: (value / GiB) * prices.storage,
  });
  return [
    stored('Live files', bytes),
    stored('Dead files', dead_bytes),
    ...requestKinds.map(({ name, label }): CostRow => {
      const perSecond = requests.reduce((sum, bucket) => sum + bucket[`${name}_per_second`], 0);
      const value = perSecond * monthSeconds;
      return {
        label,
        amount: { value, unit: 'requests' },
        price: prices[name],
        priceOf: '1,000',
        dollars: (value / 1000) * prices[name],
      };
    }),
  ];
}

/** Amounts below a cent are shown without their digits: no bill has them. */
export function shortDollars(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? '< $0.01' : dollarText(dollars);
}

/** Reads the prices of a link, `put=0.004,get=0`; what is no price is left out. */
export function readPrices(text: string | undefined, names: readonly (keyof Prices)[]): Partial<Prices> {
  const found: Partial<Record<keyof Prices, number>> = {};
  for (const part of (text ?? '').split(',')) {
    const [name = '', value = ''] = part.split('=');
    const known = names.find((one) => one === name.trim());
    const dollars = priceOf(value);
    if (known !== undefined && dollars !== undefined) found[known] = dollars;
  }
  return found;
}

/** `undefined` without any, so that the link is short. */
export function pricesText(prices: Partial<Prices>): string | undefined {
  const parts = Object.entries(prices).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? undefined : parts.join(',');
}

const priceMax = 1000;

/** A price as a person types it; `undefined` if it is none that the operation takes. */
export function priceOf(text: string): number | undefined {
  const dollars = Number(text);
  return text.trim() !== '' && Number.isFinite(dollars) && dollars >= 0 && dollars <= priceMax
    ? dollars
    : undefined;
}
