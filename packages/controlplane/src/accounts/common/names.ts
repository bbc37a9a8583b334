import { ApiError } from '@weir/api';
import { secretNamePattern } from '@weir/core';

interface NameRule {
  readonly pattern: RegExp;
  readonly text: string;
}

const displayName: NameRule = {
  pattern: /^[a-zA-Z0-9 _-]{3,128}$/,
  text: '3 to 128 of letters, digits, space, underscore and hyphen',
};

/** The same rules as in the catalogue, for callers that bypass it. Prefixes do not count. */
const rules = {
  account: displayName,
  workspace: displayName,
  role: {
    pattern: /^[a-zA-Z0-9 _-]{3,60}$/,
    text: '3 to 60 of letters, digits, space, underscore and hyphen',
  },
  key: { pattern: /^[a-zA-Z0-9_]{1,128}$/, text: '1 to 128 of letters, digits and underscore' },
  'virtual cluster': {
    pattern: /^[a-zA-Z0-9_]{3,128}$/,
    text: '3 to 128 of letters, digits and underscore',
  },
  federation: {
    pattern: /^[a-zA-Z0-9_.-]{1,128}$/,
    text: '1 to 128 of letters, digits, dot, underscore and hyphen',
  },
  pipeline: {
    pattern: /^[a-zA-Z0-9_.-](?:[a-zA-Z0-9 _.-]{0,126}[a-zA-Z0-9_.-])?$/,
    text: '1 to 128 of letters, digits, dot, underscore and hyphen, with spaces between them',
  },
  secret: {
    pattern: secretNamePattern,
    text: 'a letter and up to 63 more letters, digits, dots, underscores and hyphens',
  },
} satisfies Record<string, NameRule>;

export type Named = keyof typeof rules;

/** Returns the name if it is valid for the kind of object. */
export function checkedName(what: Named, name: string): string {
  const { pattern, text } = rules[what];
  if (pattern.test(name)) return name;
  throw new ApiError('invalid_request', `The name of a ${what} must be ${text}.`);
}

/** Orders objects by name. Collations of databases differ, so that rows are sorted here. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Refuses another object of a cluster if its name is taken, or if the cluster has as many as it may have. */
export function requireRoomInCluster(
  others: readonly { readonly name: string }[],
  { what, name, max }: { readonly what: string; readonly name: string; readonly max: number },
): void {
  if (others.some((other) => other.name === name))
    throw new ApiError(
      'duplicate_name',
      `The cluster already has a ${what} named "${name}"; choose another name.`,
    );
  if (others.length >= max)
    throw new ApiError('limit_exceeded', `A cluster can have at most ${max} ${what}s.`);
}

/** Returns the name with its prefix, which callers may omit. */
export function checkedPrefixedName(what: Named, prefix: string, name: string): string {
  return prefix + checkedName(what, name.startsWith(prefix) ? name.slice(prefix.length) : name);
}
