import { createHash } from 'node:crypto';
import { apiLimits } from '@weir/api/limits';
import { isSafeAddress } from '@weir/oidc';
import { agentAudience } from '@weir/rpc';
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

const fields = ['name', 'issuer', 'clusterId', 'audience', 'claims', 'lifetimeSeconds'];
const namePattern = /^[\w.-]{1,128}$/;
const clusterIdPattern = /^vci_\w+$/;
const lifetimeSecondsMin = 60;
const lifetimeSecondsMax = 86_400;
const lifetimeSecondsDefault = 3_600;

/** Parses a list of `{name, issuer, clusterId, audience?, claims: [{path, value}], lifetimeSeconds?}`. */
export function parseBindings(text: string): WorkloadIdentityBinding[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new Error(`the file is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(found)) throw new Error('the file is not a list of bindings');
  if (found.length > apiLimits.workloadBindingsMax) {
    throw new Error(`${found.length} bindings; at most ${apiLimits.workloadBindingsMax}`);
  }
  const bindings = found.map(parseBinding);
  const names = new Set<string>();
  for (const { name } of bindings) {
    if (names.has(name)) throw new Error(`two bindings have the name ${name}`);
    names.add(name);
  }
  return bindings;
}

function parseBinding(entry: unknown, index: number): WorkloadIdentityBinding {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new Error(`entry ${index + 1} is not a binding`);
  }
  const fieldValues = entry as Record<string, unknown>;
  const shortName = typeof fieldValues.name === 'string' ? fieldValues.name.replace(/^wif_/, '') : '';
  if (!namePattern.test(shortName)) {
    throw new Error(`entry ${index + 1}: name is 1 to 128 letters, digits, dots, dashes or underscores`);
  }
  const name = `wif_${shortName}`;
  const refuse = (problem: string): never => {
    throw new Error(`${name}: ${problem}`);
  };
  const unknown = Object.keys(fieldValues).find((field) => !fields.includes(field));
  if (unknown !== undefined) refuse(`${unknown} is not one of ${fields.join(', ')}`);
  const { issuer, clusterId, lifetimeSeconds = lifetimeSecondsDefault } = fieldValues;
  if (typeof clusterId !== 'string' || !clusterIdPattern.test(clusterId)) {
    return refuse('clusterId is not vci_ and the rest of a cluster id');
  }
  if (typeof issuer !== 'string' || !isIssuer(issuer)) {
    return refuse('issuer is not an https:// address without query and fragment');
  }
  const { audience = agentAudience(clusterId) } = fieldValues;
  if (typeof audience !== 'string' || audience === '') return refuse('audience is not a text');
  if (
    typeof lifetimeSeconds !== 'number' ||
    !Number.isInteger(lifetimeSeconds) ||
    lifetimeSeconds < lifetimeSecondsMin ||
    lifetimeSeconds > lifetimeSecondsMax
  ) {
    return refuse(`lifetimeSeconds is a whole number from ${lifetimeSecondsMin} to ${lifetimeSecondsMax}`);
  }
  const rules = parseRules(fieldValues.claims, refuse);
  const mark = markOf([name, clusterId, issuer, audience, lifetimeSeconds, ...rules.flatMap(textOf)]);
  const lifetimeMs = lifetimeSeconds * 1000;
  const origin = { isReadOnly: false, isOperators: true };
  return { name, clusterId, issuer, audience, rules, lifetimeMs, ...origin, mark };
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

function markOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

function parseRules(claims: unknown, refuse: (problem: string) => never): ClaimRule[] {
  if (!Array.isArray(claims) || claims.length === 0) {
    return refuse('claims has to hold at least one {path, value}');
  }
  if (claims.length > apiLimits.workloadClaimRulesMax) {
    return refuse(`${claims.length} claims; at most ${apiLimits.workloadClaimRulesMax}`);
  }
  return claims.map((claim: unknown, index) => {
    const { path, value } = (claim ?? {}) as { path?: unknown; value?: unknown };
    try {
      return parseClaimRule(path, value);
    } catch (error) {
      return refuse(`claim ${index + 1}: ${(error as Error).message}`);
    }
  });
}

function textOf({ path, expected, isPrefix }: ClaimRule): (string | boolean)[] {
  return [path, expected, isPrefix];
}

/** Whether a text may be the URL of an issuer. */
export function isIssuer(text: string): boolean {
  if (!isSafeAddress(text, { allowsLoopbackHttp: false })) return false;
  const { search, hash } = new URL(text);
  return search === '' && hash === '';
}
