import { compilePattern, type UsablePattern } from '@weir/cluster/patterns';

/** Expressions that find something in a name of a topic, as Go does; a text says what is wrong with one. */
export function compileTopicPatterns(texts: readonly string[]): readonly UsablePattern[] | string {
  const patterns: UsablePattern[] = [];
  for (const expression of texts.flatMap((text) => text.split(',')).map((text) => text.trim())) {
    if (expression === '') continue;
    const pattern = compilePattern(`.*(?:${expression}).*`);
    if (pattern.problem !== undefined) return `has ${expression}: ${pattern.problem}`;
    patterns.push(pattern);
  }
  return patterns.length === 0 ? 'has no topic' : patterns;
}
