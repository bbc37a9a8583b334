import { caps } from '@weir/core';

/** Why a request that names so many things is refused as a whole, before anything is asked about any of them. */
export function tooManyProblem(count: number): string | undefined {
  if (count <= caps.namedPerRequestMax) return undefined;
  return `the request has ${count} entries and ${caps.namedPerRequestMax} are allowed; send several requests`;
}
