/**
 * Secrets that the processes of a cluster share. The first leader of the cluster creates them and stores them as
 * key-value entries. Every process that is admitted to the cluster receives them; no operator has to distribute them.
 */
export const clusterSecrets = {
  /** Authenticates agents to each other. */
  pageExchange: { namespace: 'agentSecret', key: 'page-exchange' },
  /**
   * Seeds the decoy credentials that agents present for unknown users, so that a client cannot find out which users
   * exist.
   */
  scramDecoys: { namespace: 'agentSecret', key: 'scram-decoys' },
  /** Authenticates the agent tokens that any control-plane process has issued. */
  agentTokens: { namespace: 'controlPlaneSecret', key: 'agent-tokens' },
} as const;

/**
 * The page-exchange secret is replaced after an agent key is revoked. Every request for a replacement writes a new id
 * to `asked`; `done` is the id for which the secret was last replaced. A replacement is pending while the two differ.
 */
export const secretsReplacement = {
  asked: { namespace: 'controlPlaneSecret', key: 'replacement-asked' },
  done: { namespace: 'controlPlaneSecret', key: 'replacement-done' },
} as const;

export const clusterSecretBytes = 32;

export interface SecretPlace {
  readonly namespace: 'agentSecret' | 'controlPlaneSecret';
  readonly key: string;
}

/**
 * Secrets that are rotated periodically. The decoy secret is not, and it stays after an agent key is revoked: another
 * one would change the salts of unknown users, which would distinguish them from real users for every client. The
 * holder of a revoked key learns only which users exist, and had received all of them with their credentials.
 */
export const rotatedSecrets: readonly SecretPlace[] = [
  clusterSecrets.pageExchange,
  clusterSecrets.agentTokens,
];

/** How long a secret is current. Everything signed with a secret expires sooner. */
export const secretsPeriodMs: number = 7 * 24 * 3_600_000;

/** When the secrets were last rotated, in milliseconds since 1970. */
export const secretsRotatedAt: SecretPlace = { namespace: 'controlPlaneSecret', key: 'rotated-at' };

/**
 * Returns the keys of the three values of a rotated secret. `current` signs; all three are accepted. At a rotation
 * `next` becomes `current` and `current` becomes `before`. By then `next` has been published for a whole period, so
 * processes that learn of the rotation at different times still accept each other.
 */
export function rotationOf({ namespace, key }: SecretPlace) {
  const place = (ending: string): SecretPlace => ({ namespace, key: `${key}${ending}` });
  return { current: place(''), next: place('-next'), before: place('-before') };
}

/** Returns the accepted values of a rotated secret, the signing one first; `undefined` before one exists. */
export function acceptedSecrets<Value extends Uint8Array>(
  secret: SecretPlace,
  read: (place: SecretPlace) => Value | undefined,
): [Value, ...Value[]] | undefined {
  const { current, next, before } = rotationOf(secret);
  const signing = read(current);
  if (signing === undefined) return undefined;
  return [signing, ...[read(next), read(before)].filter((value) => value !== undefined)];
}
