import { type BuilderGroup, emptyBuilder } from './builder.ts';

/** The filter of a search, in the one of its two modes in which somebody works on it. The other one is empty. */
export type SearchFilter =
  | { readonly mode: 'builder'; readonly builder: BuilderGroup }
  | { readonly mode: 'raw'; readonly text: string };

/** Switching clears the filter. An editor that offers to keep it converts it first, with `filterToBuilder` or `printFilter`. */
export function switchMode(filter: SearchFilter, mode: SearchFilter['mode']): SearchFilter {
  if (filter.mode === mode) return filter;
  return mode === 'raw' ? { mode, text: '' } : { mode, builder: emptyBuilder };
}
