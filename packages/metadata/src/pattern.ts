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
