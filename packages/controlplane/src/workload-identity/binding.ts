import { createHash } from 'node:crypto';
import { isSafeAddress } from '@weir/oidc';
import type { Federation } from '../accounts/workspaces/federations.ts';
import { type ClaimRule, parseClaimRule } from './claim-rule.ts';

/** Defines whose tokens admit an agent to a cluster. Immutable: another one replaces it. */
export interface WorkloadIdentityBinding {
  /** With `wif_`. */
  readonly name: string;
  readonly clusterId: string;
  /** As in tokens, `https:`. */
  readonly issuer: string;
  /** The audience that the token must have. */
  readonly audience: string;
  /** All of them must match. */
  readonly rules: readonly ClaimRule[];
  /** The lifetime of the issued agent token. */
  readonly lifetimeMs: number;
  /** Whether its tokens are read-only. As with a read-only key, no agent connects with them. */
  readonly isReadOnly: boolean;
  /** Whether an operator wrote it, who may name issuers anywhere, also in the private network. */
  readonly isOperators: boolean;
  /** A digest of the binding, so that tokens that another binding issued are recognised. */
  readonly mark: string;
}

/** Returns the binding of a federation of the API. Its id is its mark, because it is immutable. */
export function bindingOfFederation(federation: Federation): WorkloadIdentityBinding {
  const { id, clusterId, issuer, audience, rules, lifetimeSeconds, isReadOnly } = federation;
  return {
    name: id,
    clusterId,
    issuer,
    audience,
    rules: rules.map(({ path, value }) => parseClaimRule(path, value)),
    lifetimeMs: lifetimeSeconds * 1000,
    isReadOnly,
    isOperators: false,
    mark: markOf(['federation', id]),
  };
}

/** Returns a digest of what a binding consists of. */
export function markOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

/** Whether a text may be the URL of an issuer. */
export function isIssuer(text: string): boolean {
  if (!isSafeAddress(text, { allowsLoopbackHttp: false })) return false;
  const { search, hash } = new URL(text);
  return search === '' && hash === '';
}
