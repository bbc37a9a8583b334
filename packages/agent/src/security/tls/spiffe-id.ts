import { agentLimits } from '../../limits.ts';

/** A name of the SPIFFE standard: who somebody is, `spiffe://<trust domain>/<workload id>`. */
interface SpiffeId {
  readonly trustDomain: string;
  /** Without the slash in front. */
  readonly workloadId: string;
  /** The whole, as it is written. */
  readonly text: string;
}

const idPattern = /^spiffe:\/\/([a-z0-9._-]{1,255})\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)$/;

/** What is wrong with a text that is no SPIFFE id of a workload. */
export function parseSpiffeId(text: string): { readonly id: SpiffeId } | { readonly problem: string } {
  if (text.length > agentLimits.spiffeIdCharsMax) {
    return { problem: `a SPIFFE id has at most ${agentLimits.spiffeIdCharsMax} characters` };
  }
  const [, trustDomain, workloadId] = idPattern.exec(text) ?? [];
  if (trustDomain === undefined || workloadId === undefined) {
    return { problem: 'a SPIFFE id is written spiffe://<trust domain>/<workload id>' };
  }
  if (workloadId.split('/').some((segment) => segment === '.' || segment === '..')) {
    return { problem: 'a workload id has no segment . or ..' };
  }
  return { id: { trustDomain, workloadId, text } };
}

const scheme = 'spiffe:';

/**
 * The SPIFFE id of a certificate by the URIs in it; `undefined` when none of them is one. The standard allows one URI in such a
 * certificate and no more, for nobody could say whose it is otherwise.
 */
export function spiffeIdOf(
  uris: readonly string[],
): { readonly id: SpiffeId | undefined } | { readonly problem: string } {
  const spiffe = uris.filter((uri) => uri.toLowerCase().startsWith(scheme));
  if (spiffe.length === 0) return { id: undefined };
  if (uris.length > 1) return { problem: 'a certificate with a SPIFFE id has no other URI' };
  return parseSpiffeId(spiffe[0]!);
}
