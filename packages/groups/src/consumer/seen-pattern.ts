import type { TopicReader } from '@weir/cluster';

/** What a member wants with a pattern: the topics that the expression matches, as far as the reader may see them. */
export interface SeenPattern {
  readonly expression: string;
  /** `null` for somebody whom rules do not bind. */
  readonly reader: TopicReader | null;
}

/** Before and behind the reader. An expression of a client does not begin with it, and JSON does not have it. */
export const readerMark = '\u0000';

/** One text for both, under which members that want the same are one. Nobody's eyes leave the expression as it is. */
export function writeSeenPattern({ expression, reader }: SeenPattern): string {
  if (reader === null || expression === '') return expression;
  return `${readerMark}${JSON.stringify([reader.host, ...reader.principals])}${readerMark}${expression}`;
}

export function readSeenPattern(text: string): SeenPattern {
  if (!text.startsWith(readerMark)) return { expression: text, reader: null };
  const end = text.indexOf(readerMark, readerMark.length);
  const [host, ...principals] = JSON.parse(text.slice(readerMark.length, end)) as [string, ...string[]];
  return { expression: text.slice(end + readerMark.length), reader: { principals, host } };
}
