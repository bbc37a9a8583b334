import { compileSearch, type Search } from '@weir/cluster';
import { compareDecimals, type Decimal, decimalOf, isMultiple } from '../decimal.ts';
import type { Check } from './validation-run.ts';

export function maxLengthCheck(limit: number): Check {
  return (value, run) => {
    const text = value as string;
    if (text.length <= limit || codePoints(text) <= limit) return true;
    return run.fail(`is longer than ${limit} characters`);
  };
}

export function minLengthCheck(limit: number): Check {
  return (value, run) => {
    const text = value as string;
    if (text.length >= 2 * limit || codePoints(text) >= limit) return true;
    return run.fail(`is shorter than ${limit} characters`);
  };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A pattern that RE2 lacks fits nothing: the other engine could run for ever, and ignoring it would be a lie. */
export function patternCheck(pattern: string): Check {
  const search = searchOf(pattern);
  const shown = JSON.stringify(pattern.slice(0, 100));
  return (value, run) => {
    const found = finds(search, value as string, run);
    if (found === true) return true;
    if (found === false) return run.fail(`does not match the pattern ${shown}`);
    return run.fail(`cannot be checked: RE2 cannot evaluate the pattern ${shown}: ${found}`);
  };
}

/** Compiles a pattern when it is first needed. */
export function searchOf(pattern: string): () => Search {
  let search: Search | undefined;
  return () => {
    search ??= compileSearch(pattern);
    return search;
  };
}

/** Whether a text has the pattern, or what is wrong with the pattern. */
export function finds(
  searchOfPattern: () => Search,
  text: string,
  run: { search(steps: number): void },
): boolean | string {
  const search = searchOfPattern();
  if (search.problem !== undefined) return search.problem;
  run.search(search.cost * (text.length + 1));
  return search.finds(text);
}

export function multipleOfCheck(text: string): Check {
  const divisor = decimalOf(text);
  const number = Number(text);
  const isPlain = Number.isSafeInteger(number);
  return (value, run) => {
    const candidate = value as number;
    const isFit =
      isPlain && Number.isSafeInteger(candidate)
        ? candidate % number === 0
        : Number.isFinite(candidate) && isMultiple(decimalOfNumber(candidate), divisor);
    return isFit || run.fail(`is not a multiple of ${text}`);
  };
}

export function boundCheck(text: string, fits: (order: number) => boolean, meaning: string): Check {
  const limit = decimalOf(text);
  const number = Number(text);
  // A bound that a number cannot hold is compared digit by digit.
  const isExact = Number.isFinite(number) && compareDecimals(limit, decimalOfNumber(number)) === 0;
  return (value, run) => {
    const candidate = value as number;
    const order =
      isExact || !Number.isFinite(candidate)
        ? candidate - number
        : compareDecimals(decimalOfNumber(candidate), limit);
    return fits(order) || run.fail(`must be ${meaning} ${text}`);
  };
}

function decimalOfNumber(value: number): Decimal {
  return decimalOf(String(value).replace('e+', 'e'));
}
