import { brokerLimits } from '../limits.ts';

/** Why a request with this many entries is refused as a whole, before any of them is processed. */
export function tooManyProblem(count: number): string | undefined {
  if (count <= brokerLimits.namedPerRequestMax) return undefined;
  return `the request has ${count} entries, above the limit of ${brokerLimits.namedPerRequestMax}; split it`;
}

/** Why a topic or other resource for which a request sets this many configs is refused. */
export function tooManyConfigsProblem(count: number): string | undefined {
  const most = brokerLimits.configsPerResourceMax;
  return count <= most ? undefined : `${count} configs given, above the limit of ${most}`;
}
