import { compilePattern, type Pattern, restorePattern } from '@weir/cluster';
import { isInternalTopic } from '@weir/core';

/**
 * The pattern of a subscription. Topics of the service are for those who name them: a pattern for everything means everything of the users, as it
 * does for clients that match by themselves what they are told of.
 */
export function compileTopicPattern(expression: string): Pattern {
  return ofUsers(compilePattern(expression));
}

/** The same for a subscription that was kept. */
export function restoreTopicPattern(expression: string): Pattern {
  return ofUsers(restorePattern(expression));
}

function ofUsers(pattern: Pattern): Pattern {
  if (pattern.problem !== undefined) return pattern;
  return { ...pattern, matches: (name) => !isInternalTopic(name) && pattern.matches(name) };
}
