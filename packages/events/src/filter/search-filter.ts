import { type BuilderGroup, emptyBuilder } from './builder.ts';

/** The filter of a search in its current edit mode. It has no state for the other mode. */
export type SearchFilter =
  | { readonly mode: 'builder'; readonly builder: BuilderGroup }
  | { readonly mode: 'raw'; readonly text: string };

/**
 * Switches the mode, which clears the filter. An editor that offers to preserve it converts it first, with
 * `filterToBuilder` or `printFilter`.
 */
export function switchMode(filter: SearchFilter, mode: SearchFilter['mode']): SearchFilter {
  if (filter.mode === mode) return filter;
  return mode === 'raw' ? { mode, text: '' } : { mode, builder: emptyBuilder };
}
