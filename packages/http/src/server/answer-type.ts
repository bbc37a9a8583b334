import { type WeightedName, weightedNames } from './header-weights.ts';
import { HttpProblem } from './http-problem.ts';

/** Returns the type of the answer that a client prefers, of those there are; the first one if it names none. */
export function preferredType<Type extends string>(
  types: readonly [Type, ...Type[]],
  accept: string | undefined,
): Type {
  if (accept === undefined || accept.trim() === '') return types[0];
  const ranges = weightedNames(accept);
  let best: { readonly type: Type; readonly weight: number } | undefined;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight > (best?.weight ?? 0)) best = { type, weight };
  }
  if (best !== undefined) return best.type;
  throw new HttpProblem(
    406,
    `The response is available as ${types.join(', ')}, none of which Accept allows.`,
  );
}

/** The type of a body without its parameters; `undefined` if there is none. */
export function bodyTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1).at(0)?.trim().toLowerCase();
}

/** The most precise range that covers a type decides. */
function weightOf(type: string, ranges: readonly WeightedName[]): number {
  for (const covering of [type, 'application/*', '*/*']) {
    const found = ranges.find(({ name }) => name === covering);
    if (found !== undefined) return found.weight;
  }
  return 0;
}
