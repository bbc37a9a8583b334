import { charsPerToken } from './tokens.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Fitted {
  readonly answer: Fields;
  /** Whether anything was left out. */
  readonly isCut: boolean;
}

/** The maximum number of cuts. Each halves the largest part, so a few are enough. */
const roundsMax = 64;
const listItemsMin = 1;
const textCharsMin = 64;

/** Returns the answer with its longest lists and texts cut until it fits the token limit. */
export function fitted(answer: Fields, tokensMax: number): Fitted {
  let found = answer;
  let isCut = false;
  for (
    let round = 0;
    round < roundsMax && JSON.stringify(found).length > tokensMax * charsPerToken;
    round++
  ) {
    const largest = largestPart(found);
    if (largest === undefined) break;
    found = withPart(found, largest.path, halved(largest.value)) as Fields;
    isCut = true;
  }
  return { answer: found, isCut };
}

interface Part {
  readonly path: readonly (string | number)[];
  readonly value: readonly unknown[] | string;
  readonly chars: number;
}

/**
 * Returns the list or the text that takes the most room. Of nested lists it is the inner one, if that is most of the
 * outer.
 */
function largestPart(value: unknown, path: readonly (string | number)[] = []): Part | undefined {
  if (typeof value === 'string')
    return value.length > textCharsMin ? { path, value, chars: value.length } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  let largest: Part | undefined;
  for (const [key, inner] of entries) {
    const part = largestPart(inner, [...path, key]);
    if (part !== undefined && part.chars > (largest?.chars ?? 0)) largest = part;
  }
  if (!Array.isArray(value) || value.length <= listItemsMin) return largest;
  const chars = JSON.stringify(value).length;
  return largest !== undefined && largest.chars * 2 > chars ? largest : { path, value, chars };
}

function halved(value: readonly unknown[] | string): readonly unknown[] | string {
  const keep = Math.max(1, Math.floor(value.length / 2));
  return typeof value === 'string' ? `${value.slice(0, keep - 1)}…` : value.slice(0, keep);
}

function withPart(value: unknown, [key, ...rest]: readonly (string | number)[], part: unknown): unknown {
  if (key === undefined) return part;
  if (Array.isArray(value)) return value.with(key as number, withPart(value[key as number], rest, part));
  const fields = value as Fields;
  return { ...fields, [key]: withPart(fields[key], rest, part) };
}
