/** The required value of a claim. */
export interface ClaimRule {
  /** As written: segments between dots; a segment that contains dots is in quotes. */
  readonly path: string;
  readonly segments: readonly string[];
  /** The whole value, or its prefix with `isPrefix`. */
  readonly expected: string;
  readonly isPrefix: boolean;
}

/** A segment in quotes, or one without dots and quotes. */
const segmentPattern = /(?:"([^"]+)"|([^."]+))(\.|$)/y;

/**
 * Parses a rule. A single `*` is refused: it would admit every identity of the issuer, and the issuer of a cloud serves
 * all of its customers.
 */
export function parseClaimRule(path: string, value: string): ClaimRule {
  const segments = parsePath(path);
  if (segments === undefined) {
    throw new Error('path is names with dots between them, a name that holds dots in double quotes');
  }
  const isPrefix = value.endsWith('*');
  const expected = isPrefix ? value.slice(0, -1) : value;
  if (expected.includes('*'))
    throw new Error('value has a * before its end; only the last character may be one');
  if (expected === '') throw new Error('value is empty or a lone *, which would match every token');
  return { path, segments, expected, isPrefix };
}

function parsePath(path: string): string[] | undefined {
  const segments: string[] = [];
  segmentPattern.lastIndex = 0;
  for (let isOver = false; !isOver; ) {
    const [, quoted, plain, dot] = segmentPattern.exec(path) ?? [];
    const segment = quoted ?? plain;
    if (segment === undefined) return undefined;
    segments.push(segment);
    isOver = dot === '';
  }
  return segments;
}

/** Whether the claims match the rule. Lists and objects match nothing: a rule names one value. */
export function matchesRule({ segments, expected, isPrefix }: ClaimRule, claims: unknown): boolean {
  let found = claims;
  for (const segment of segments) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment)) return false;
    found = (found as Record<string, unknown>)[segment];
  }
  if (typeof found !== 'string' && typeof found !== 'number' && typeof found !== 'boolean') return false;
  const text = String(found);
  return isPrefix ? text.startsWith(expected) : text === expected;
}
