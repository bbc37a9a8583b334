import { caps } from '@weir/core';
import { RE2JS } from 're2js';

/** A regular expression of a client: one that can be used, or what is wrong with it. */
export type Pattern =
  | { readonly problem: string }
  | { readonly problem: undefined; matches(text: string): boolean };

/**
 * Compiles a regular expression in the syntax of RE2, as Kafka's server-side patterns are. It has to match the whole text. Such an
 * expression takes time in proportion to the text, whatever a client writes; JavaScript's own could be made to run for ever.
 */
export function compilePattern(expression: string): Pattern {
  if (expression.length > caps.patternCharsMax) {
    return { problem: `a pattern of ${expression.length} characters; ${caps.patternCharsMax} are allowed` };
  }
  try {
    const compiled = RE2JS.compile(expression);
    return { problem: undefined, matches: (text) => compiled.matches(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A regular expression with what takes the place of its matches: one that can be used, or what is wrong with it. */
export type Rewrite =
  | { readonly problem: string }
  | { readonly problem: undefined; apply(text: string): string | undefined };

/** What a replacement consists of: characters, escaped ones, and groups of the expression. */
const replacementPattern = /^(?:\\.|[^\\$]|\$\d|\$\{[A-Za-z][A-Za-z0-9]*\})*$/s;

/**
 * Compiles an expression as above, and what to make of a text that it matches as a whole: every match in it is replaced, as Java's
 * `replaceAll` does, where `$1` is the first group. Gives `undefined` for a text that does not match.
 */
export function compileRewrite(expression: string, replacement: string): Rewrite {
  const pattern = compilePattern(expression);
  if (pattern.problem !== undefined) return pattern;
  if (!replacementPattern.test(replacement)) {
    return {
      problem: `the replacement ${JSON.stringify(replacement)} has a $ that names no group; \\$ is the character`,
    };
  }
  const compiled = RE2JS.compile(expression);
  const groupCount = compiled.groupCount();
  for (const [, digit, name] of replacement.replaceAll(/\\./gs, '').matchAll(/\$(?:(\d)|\{(\w+)\})/g)) {
    const isThere =
      digit === undefined ? Object.hasOwn(compiled.namedGroups(), name!) : Number(digit) <= groupCount;
    if (!isThere)
      return { problem: `the replacement names the group ${digit ?? name}, which the pattern does not have` };
  }
  return {
    problem: undefined,
    apply: (text) =>
      pattern.matches(text) ? compiled.matcher(text).replaceAll(replacement, true) : undefined,
  };
}
