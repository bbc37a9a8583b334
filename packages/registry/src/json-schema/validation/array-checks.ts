import type { Check } from './validation-run.ts';
import { keyOfValue } from './value-keys.ts';

/** The first items by their own schemas, and the others by one. */
export function itemsCheck(first: readonly Check[], others: Check | undefined): Check {
  return (value, run) => {
    const items = value as readonly unknown[];
    const count = others === undefined ? Math.min(first.length, items.length) : items.length;
    for (let index = 0; index < count; index++) {
      if (!run.applyTo(first[index] ?? others!, items[index], index)) return false;
    }
    if (run.evaluated !== undefined) {
      run.evaluated.count = Math.max(run.evaluated.count, count);
      run.evaluated.hasAllIndexes ||= others !== undefined;
    }
    return true;
  };
}

export function itemCountCheck(limit: number, kind: 'max' | 'min'): Check {
  return (value, run) => {
    const { length } = value as readonly unknown[];
    if (kind === 'max') return length <= limit || run.fail(`has more than ${limit} items`);
    return length >= limit || run.fail(`has fewer than ${limit} items`);
  };
}

export function containsCheck(
  check: Check,
  { min, max, notes }: { min: number; max: number; notes: boolean },
): Check {
  return (value, run) => {
    let count = 0;
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      if (!run.tries(check, item)) continue;
      count++;
      if (notes) run.evaluated?.indexes.add(index);
    }
    if (count < min)
      return run.fail(`has ${count} items of the kind that contains demands, fewer than ${min}`);
    return count <= max || run.fail(`has ${count} items of the kind that contains demands, more than ${max}`);
  };
}

/** By texts, because comparing each item with each other takes quadratic time. */
export function uniqueItemsCheck(value: unknown, run: Parameters<Check>[1]): boolean {
  const seen = new Set<string>();
  for (const [index, item] of (value as readonly unknown[]).entries()) {
    const key = keyOfValue(item);
    run.work(1 + key.length / 2);
    if (seen.has(key)) return run.fail(`has the item ${index} twice`);
    seen.add(key);
  }
  return true;
}

export function unevaluatedItemsCheck(check: Check): Check {
  return (value, run) => {
    const { evaluated } = run;
    if (evaluated === undefined || evaluated.hasAllIndexes) return true;
    run.work((value as readonly unknown[]).length / 4);
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      if (index < evaluated.count || evaluated.indexes.has(index)) continue;
      if (!run.applyTo(check, item, index)) return false;
    }
    evaluated.hasAllIndexes = true;
    return true;
  };
}
