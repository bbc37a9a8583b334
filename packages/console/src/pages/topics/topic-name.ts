import { topicNamePattern, topicNameRule } from '@weir/api/topic-rules';
import { internalTopicProblem, isInternalTopic } from '@weir/core';

/** What is wrong with the name of a new topic. */
export function problemOfName(name: string): string | undefined {
  if (!topicNamePattern.test(name)) return topicNameRule;
  return isInternalTopic(name) ? internalTopicProblem(name) : undefined;
}
