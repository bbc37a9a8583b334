import { Refusal } from './refusal.ts';

interface NameRule {
  readonly pattern: RegExp;
  readonly text: string;
}

/** Without their prefixes. */
const rules = {
  account: { pattern: /^\S(?:.{0,126}\S)?$/u, text: '1 to 128 characters' },
  workspace: {
    pattern: /^[a-zA-Z0-9 _-]{3,128}$/,
    text: '3 to 128 of letters, digits, space, underscore and hyphen',
  },
  role: {
    pattern: /^[a-zA-Z0-9 _-]{3,60}$/,
    text: '3 to 60 of letters, digits, space, underscore and hyphen',
  },
  key: { pattern: /^[a-zA-Z0-9_]{1,128}$/, text: '1 to 128 of letters, digits and underscore' },
  'virtual cluster': {
    pattern: /^[a-zA-Z0-9_]{3,128}$/,
    text: '3 to 128 of letters, digits and underscore',
  },
} satisfies Record<string, NameRule>;

export type Named = keyof typeof rules;

/** The name as it was given, if the thing may be called so. */
export function checkedName(what: Named, name: string): string {
  const { pattern, text } = rules[what];
  if (pattern.test(name)) return name;
  throw new Refusal('invalid_request', `The name of a ${what} is ${text}.`);
}
