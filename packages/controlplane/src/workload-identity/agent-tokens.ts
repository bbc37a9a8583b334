import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Tokens that admit an agent for a limited time, `agt_<claims>.<signature>`. They are signed with a secret that all
 * control-plane processes of the cluster share, so that any of them accepts what another issued, and none is stored.
 * The format is our own: it has one algorithm, and is verified synchronously, as the agent listener requires.
 */
export interface AgentTokenClaims {
  readonly clusterId: string;
  /** The mark of the binding that issued it. */
  readonly bindingMark: string;
  readonly endMs: number;
  /** The region whose control planes accept it; those of all regions if it is absent. */
  readonly region?: string | undefined;
}

/** The first one signs, and all of them are accepted, so that they can be rotated. */
export type TokenSecrets = readonly [Uint8Array, ...Uint8Array[]];

/** Returns the secrets of a cluster, which are in its journal; `undefined` until this process has read them. */
export type SecretsOf = (clusterId: string) => TokenSecrets | undefined;

const prefix = 'agt_';
const pattern = /^agt_([\w-]{1,1024})\.([\w-]{43})$/;

export function isAgentToken(key: string): boolean {
  return key.startsWith(prefix);
}

export function signAgentToken(
  { clusterId, bindingMark, endMs, region }: AgentTokenClaims,
  [secret]: TokenSecrets,
): string {
  // Earlier releases read the first three, so that they accept a token of any region.
  const claims = [clusterId, bindingMark, endMs, ...(region === undefined ? [] : [region])];
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${prefix}${payload}.${signatureOf(payload, secret)}`;
}

/** Returns the cluster that a token claims. Not verified. */
export function clusterNamedIn(token: string): string | undefined {
  const [, payload] = pattern.exec(token) ?? [];
  return payload === undefined ? undefined : claimsIn(payload)?.clusterId;
}

/**
 * Returns the claims of a token, if a process of the cluster has signed it with one of the accepted secrets. The caller
 * checks its expiry.
 */
export function readAgentToken(token: string, secrets: TokenSecrets): AgentTokenClaims | undefined {
  const [, payload, signature] = pattern.exec(token) ?? [];
  if (payload === undefined || signature === undefined) return undefined;
  const given = Buffer.from(signature);
  const isSigned = secrets.some((secret) =>
    timingSafeEqual(Buffer.from(signatureOf(payload, secret)), given),
  );
  return isSigned ? claimsIn(payload) : undefined;
}

/** `undefined` for a payload that no process of ours wrote. */
function claimsIn(payload: string): AgentTokenClaims | undefined {
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown;
    if (!Array.isArray(claims)) return undefined;
    const [clusterId, bindingMark, endMs, region] = claims as unknown[];
    if (typeof clusterId !== 'string' || typeof bindingMark !== 'string') return undefined;
    if (typeof endMs !== 'number') return undefined;
    if (region === undefined) return { clusterId, bindingMark, endMs };
    // What cannot be read may restrict the token, and must not be taken for none.
    return typeof region === 'string' ? { clusterId, bindingMark, endMs, region } : undefined;
  } catch {
    return undefined;
  }
}

function signatureOf(payload: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(`agent token v1\n${payload}`).digest('base64url');
}
