/**
 * How an agent without a key gets a token instead: OAuth 2.0 Token Exchange (RFC 8693), a form posted to the control plane below the
 * same address that it connects to.
 */
export const agentTokenPath = 'api/v1/agent/token';

export const tokenExchange = {
  grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
  /** What a platform gives. */
  subjectTokenTypes: ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'],
  /** What the control plane gives. */
  issuedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
} as const;

/** Whom the tokens of a platform are made out to, and so which cluster is meant. */
export function agentAudience(clusterId: string): string {
  return `weir://${clusterId}`;
}
