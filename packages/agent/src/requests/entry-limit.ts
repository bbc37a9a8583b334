import { agentLimits } from '../limits.ts';

/** Why a request that names so many things is refused as a whole, before anything is asked about any of them. */
export function tooManyProblem(count: number): string | undefined {
  if (count <= agentLimits.namedPerRequestMax) return undefined;
  return `the request has ${count} entries and ${agentLimits.namedPerRequestMax} are allowed; send several requests`;
}
