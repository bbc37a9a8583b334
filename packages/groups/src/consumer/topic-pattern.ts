import { compilePattern, type Pattern, restorePattern } from '@weir/cluster';
import { isInternalTopic } from '@weir/core';

/**
 * Compiles the pattern of a subscription. It never matches internal topics; members must name those. Clients that match
 * patterns by themselves do not see internal topics either.
 */
export function compileTopicPattern(expression: string): Pattern {
  return ofUsers(compilePattern(expression));
}

/** The same, for a stored subscription. */
export function restoreTopicPattern(expression: string): Pattern {
  return ofUsers(restorePattern(expression));
}

function ofUsers(pattern: Pattern): Pattern {
  if (pattern.problem !== undefined) return pattern;
  return { ...pattern, matches: (name) => !isInternalTopic(name) && pattern.matches(name) };
}
