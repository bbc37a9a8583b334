import { isInternalTopic } from '@weir/core';
import { compilePattern, type Pattern } from '../../pattern.ts';

/**
 * The pattern of a subscription. Topics of the service are for those who name them: a pattern for everything means everything of the users, as it
 * does for clients that match by themselves what they are told of.
 */
export function compileTopicPattern(expression: string): Pattern {
  const pattern = compilePattern(expression);
  if (pattern.problem !== undefined) return pattern;
  return { problem: undefined, matches: (name) => !isInternalTopic(name) && pattern.matches(name) };
}
