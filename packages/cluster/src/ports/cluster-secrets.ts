/**
 * Secrets that processes of a cluster share. They are made by the first process that leads it, and kept as records: whoever is
 * admitted to the cluster has them, and nobody has to be given them.
 */
export const clusterSecrets = {
  /** By which agents recognise each other. */
  pageExchange: { namespace: 'agentSecret', key: 'page-exchange' },
  /** Of which agents make credentials of users that do not exist, so that nobody can tell them from others. */
  scramDecoys: { namespace: 'agentSecret', key: 'scram-decoys' },
  /** By which control-plane processes recognise the tokens that one of them gave to an agent. */
  agentTokens: { namespace: 'controlPlaneSecret', key: 'agent-tokens' },
} as const;

/**
 * What agents share is replaced after the key of one was revoked. `asked` has an id that is another one whenever somebody asks, `done` the
 * id after which the secrets were last replaced: while they differ, it is to be done.
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
 * Secrets that are replaced from time to time, whether or not anything happened. The decoys are not among them: salts of users that do
 * not exist would change with them, and could be told from those of users that do.
 */
export const rotatedSecrets: readonly SecretPlace[] = [
  clusterSecrets.pageExchange,
  clusterSecrets.agentTokens,
];

/** How long a secret is current. Nothing that was signed with one is valid for so long. */
export const secretsPeriodMs: number = 7 * 24 * 3_600_000;

/** When secrets were last replaced because their time was over, in milliseconds since 1970. */
export const secretsRotatedAt: SecretPlace = { namespace: 'controlPlaneSecret', key: 'rotated-at' };

/**
 * Where the three values of a rotated secret are. The current one signs, and all are accepted: `next` becomes current after `before`, and
 * has been known for a whole period by then, so that processes which hear of it at different times understand each other.
 */
export function rotationOf({ namespace, key }: SecretPlace) {
  const place = (ending: string): SecretPlace => ({ namespace, key: `${key}${ending}` });
  return { current: place(''), next: place('-next'), before: place('-before') };
}

/** The values of a rotated secret that are accepted, the one that signs first; `undefined` before there is any. */
export function acceptedSecrets<Value extends Uint8Array>(
  secret: SecretPlace,
  read: (place: SecretPlace) => Value | undefined,
): [Value, ...Value[]] | undefined {
  const { current, next, before } = rotationOf(secret);
  const signing = read(current);
  if (signing === undefined) return undefined;
  return [signing, ...[read(next), read(before)].filter((value) => value !== undefined)];
}
