/**
 * How an agent without a key gets a token instead: OAuth 2.0 Token Exchange (RFC 8693), a form posted to the control
 * plane at the address that it connects to.
 */
export const agentTokenPath = 'api/v1/agent/token';

export const tokenExchange = {
  grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
  /** Token types that platforms issue. */
  subjectTokenTypes: ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'],
  /** The token type that the control plane issues. */
  issuedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
} as const;

/**
 * An agent that distinguishes regions asks for a token of each: `region_tokens=true` in the form. A control plane with
 * a region then answers with its own `region`, and with an object `region_tokens` of one token by region; each admits
 * in its region alone. Agents of earlier releases do not ask, and have one token for all regions.
 */
export const regionTokens = { parameter: 'region_tokens', wanted: 'true' } as const;

/** The audience of platform tokens, which identifies the cluster. */
export function agentAudience(clusterId: string): string {
  return `weir://${clusterId}`;
}
