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
