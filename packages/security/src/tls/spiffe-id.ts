import { securityLimits } from '../limits.ts';

/** A SPIFFE id: `spiffe://<trust domain>/<workload id>`. */
interface SpiffeId {
  readonly trustDomain: string;
  /** Without the leading slash. */
  readonly workloadId: string;
  /** The whole id. */
  readonly text: string;
}

const idPattern = /^spiffe:\/\/([a-z0-9._-]{1,255})\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)$/;

/** Parses the SPIFFE id of a workload, or returns why the text is not one. */
export function parseSpiffeId(text: string): { readonly id: SpiffeId } | { readonly problem: string } {
  if (text.length > securityLimits.spiffeIdCharsMax) {
    return { problem: `SPIFFE id exceeds ${securityLimits.spiffeIdCharsMax} characters` };
  }
  const [, trustDomain, workloadId] = idPattern.exec(text) ?? [];
  if (trustDomain === undefined || workloadId === undefined) {
    return { problem: 'SPIFFE id must be spiffe://<trust domain>/<workload id>' };
  }
  if (workloadId.split('/').some((segment) => segment === '.' || segment === '..')) {
    return { problem: 'workload id must not have segments . or ..' };
  }
  return { id: { trustDomain, workloadId, text } };
}

const scheme = 'spiffe:';

/**
 * Returns the SPIFFE id among the URIs of a certificate; `undefined` if there is none. The standard allows exactly one
 * URI in such a certificate, because otherwise its identity would be ambiguous.
 */
export function spiffeIdOf(
  uris: readonly string[],
): { readonly id: SpiffeId | undefined } | { readonly problem: string } {
  const spiffe = uris.filter((uri) => uri.toLowerCase().startsWith(scheme));
  if (spiffe.length === 0) return { id: undefined };
  if (uris.length > 1) return { problem: 'certificate with a SPIFFE id must not have other URIs' };
  return parseSpiffeId(spiffe[0]!);
}
