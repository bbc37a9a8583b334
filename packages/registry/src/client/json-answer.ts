import { brokenBound } from '@weir/core';

/** Parses the JSON of an answer whose nesting is bounded. Throws an error whose message continues "the answer". */
export function parseAnswer(text: string, depthMax: number): unknown {
  const isDeeper = brokenBound(text, { depthMax, valuesMax: Number.POSITIVE_INFINITY }) !== undefined;
  if (isDeeper) throw new Error(`is nested deeper than ${depthMax}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('is not JSON; check that the URL is the base URL of a registry');
  }
}
