import { nearestNames } from '@weir/core';
import { type Cast, casts } from './tree.ts';

export function isCast(name: string): name is Cast {
  return (casts as readonly string[]).includes(name);
}

/** Names of casts in other languages. */
const castAliases: ReadonlyMap<string, Cast> = new Map([
  ['integer', 'int'],
  ['long', 'int'],
  ['bigint', 'int'],
  ['double', 'float'],
  ['number', 'float'],
  ['string', 'str'],
  ['text', 'str'],
]);

/** Returns the message and the suggestion for an unknown cast. */
export function castAdvice(name: string): [message: string, suggestion: string | undefined] {
  const suggestion = castAliases.get(name.toLowerCase()) ?? nearestNames(name, casts)[0];
  return [`unknown cast ::${name}; use ${casts.map((cast) => `::${cast}`).join(', ')}`, suggestion];
}
