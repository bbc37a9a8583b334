import type { TopicReader } from '@weir/cluster';

/** A pattern with its reader: it matches only topics that the reader may see. */
export interface SeenPattern {
  readonly expression: string;
  /** `null` for a reader without restrictions. */
  readonly reader: TopicReader | null;
}

/** Delimits the reader. A client's expression does not start with it, and JSON does not contain it. */
export const readerMark = '\u0000';

/** Encodes both as one key, so that equal pairs share it. Without a reader the key is the expression. */
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
