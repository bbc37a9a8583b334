import { agentLimits } from '../limits.ts';

/** Why a request with this many entries is refused as a whole, before any of them is processed. */
export function tooManyProblem(count: number): string | undefined {
  if (count <= agentLimits.namedPerRequestMax) return undefined;
  return `the request has ${count} entries and ${agentLimits.namedPerRequestMax} are allowed; send several requests`;
}
