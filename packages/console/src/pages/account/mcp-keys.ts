import type { OutputOf } from '@weir/api/client';

type Key = OutputOf<'list_api_keys'>['api_keys'][number];

/** The keys of one configuration that this page generated earlier for the same person. */
export interface FormerConfiguration {
  /** How the names of its keys begin. */
  readonly name: string;
  readonly keyIds: readonly string[];
  /** `null` for never. */
  readonly lastUsedAt: string | null;
}

interface KeyNames {
  /** How the names of new keys begin. */
  readonly next: string;
  /** The newest first. */
  readonly former: readonly FormerConfiguration[];
}

/**
 * Names of keys have a part of the id of the person and a number that grows. So a person finds the keys of their own
 * configurations, and replaces none of another person.
 */
export function mcpKeyNames(keys: readonly Key[], actorId: string): KeyNames {
  const base = `mcp_console_${actorId.replaceAll('_', '').slice(-8)}`;
  const numbered = new RegExp(`^akn_${base}_(\\d{1,9})(?:_[0-9a-f]{8})?$`);
  const byNumber = Map.groupBy(
    keys.filter(({ name }) => numbered.test(name)),
    ({ name }) => Number(numbered.exec(name)![1]),
  );
  const numbers = [...byNumber.keys()].sort((a, b) => b - a);
  return {
    next: `${base}_${(numbers[0] ?? 0) + 1}`,
    former: numbers.map((number) => {
      const own = byNumber.get(number)!;
      return {
        name: `akn_${base}_${number}`,
        keyIds: own.map(({ id }) => id),
        lastUsedAt: own.map(({ last_used_at }) => last_used_at).reduce(later),
      };
    }),
  };
}

/** Times of one form compare as texts. */
function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? b : a;
}
