import { compileSearch, type Search } from '@weir/cluster';
import { compareDecimals, type Decimal, decimalOf, isMultiple } from '../decimal.ts';
import type { Check, ValidationRun } from './validation-run.ts';

export function maxLengthCheck(limit: number): Check {
  return (value, run) => {
    const text = value as string;
    if (text.length <= limit || codePoints(text, run) <= limit) return true;
    return run.fail(`is longer than ${limit} characters`);
  };
}

export function minLengthCheck(limit: number): Check {
  return (value, run) => {
    const text = value as string;
    if (text.length >= 2 * limit || (text.length >= limit && codePoints(text, run) >= limit)) return true;
    return run.fail(`is shorter than ${limit} characters`);
  };
}

function codePoints(text: string, run: ValidationRun): number {
  run.work(text.length / 8);
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) count--;
  }
  return count;
}

const isHighSurrogate = (code: number) => (code & 0xfc00) === 0xd800;
const isLowSurrogate = (code: number) => (code & 0xfc00) === 0xdc00;

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

/** A pattern that is compiled when it is first needed. */
export type LazySearch = (run: ValidationRun) => Search;

export function searchOf(pattern: string): LazySearch {
  let search: Search | undefined;
  return (run) => {
    if (search !== undefined) return search;
    search = compileSearch(pattern);
    run.compiled(search.problem === undefined ? search.cost : 0, true);
    return search;
  };
}

/** Whether a text has the pattern, or what is wrong with the pattern. */
export function finds(searchOfPattern: LazySearch, text: string, run: ValidationRun): boolean | string {
  const search = searchOfPattern(run);
  if (search.problem !== undefined) return search.problem;
  if (!search.isCompiled) run.compiled(search.cost, false);
  run.search(search.cost, text.length);
  return search.finds(text);
}

export function multipleOfCheck(text: string): Check {
  const divisor = decimalOf(text);
  const number = Number(text);
  const isPlain = Number.isSafeInteger(number);
  return (value, run) => {
    const candidate = value as number;
    if (isPlain && Number.isSafeInteger(candidate))
      return candidate % number === 0 || run.fail(`is not a multiple of ${text}`);
    run.work(digitSteps(text));
    const isFit = Number.isFinite(candidate) && isMultiple(decimalOfNumber(candidate), divisor);
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
    if (!isExact) run.work(digitSteps(text));
    const order =
      isExact || !Number.isFinite(candidate)
        ? candidate - number
        : compareDecimals(decimalOfNumber(candidate), limit);
    return fits(order) || run.fail(`must be ${meaning} ${text}`);
  };
}

/** What calculating with a number digit by digit costs: schemas may have a thousand of them. */
function digitSteps(text: string): number {
  return 32 + text.length ** 2 / 64;
}

function decimalOfNumber(value: number): Decimal {
  return decimalOf(String(value).replace('e+', 'e'));
}
