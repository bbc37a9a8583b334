import { weightedNames } from './header-weights.ts';

/** How an answer is compressed. */
export type AnswerEncoding = 'zstd' | 'gzip' | 'br';

/** Those that take less time for the same size first. */
const encodings: readonly AnswerEncoding[] = ['zstd', 'gzip', 'br'];

/** Returns the encoding that a client prefers; `undefined` if the answer is to be sent as it is. */
export function preferredEncoding(acceptEncoding: string | undefined): AnswerEncoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const given = new Map(weightedNames(acceptEncoding).map(({ name, weight }) => [name, weight]));
  const others = given.get('*') ?? 0;
  let best: AnswerEncoding | undefined;
  let bestWeight = 0;
  for (const encoding of encodings) {
    const weight = given.get(encoding) ?? others;
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  return (given.get('identity') ?? 0) > bestWeight ? undefined : best;
}
