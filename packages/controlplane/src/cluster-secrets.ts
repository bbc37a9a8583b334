import type { Clock, Log } from '@weir/core';
import { type ClusterNode, clusterSecretBytes, clusterSecrets, secretsReplacement } from '@weir/metadata';

/** The part of a node that is needed. */
export type SecretsNode = Pick<ClusterNode, 'role' | 'onRole' | 'record' | 'execute'>;

export interface ClusterSecretsOptions {
  readonly randomBytes: (count: number) => Buffer;
  readonly clock: Clock;
  readonly log: Log;
}

type Changes = Extract<Parameters<ClusterNode['execute']>[0], { kind: 'putRecords' }>['changes'];

/** How often a leader looks whether secrets are to be replaced. */
const lookMs = 2_000;
/**
 * Secrets are replaced so long after a key was revoked: until then connections with the key may be open, and would be told the new ones. A
 * key is known to be revoked after a second, and connections are looked at every ten.
 */
export const expulsionMs = 20_000;

/**
 * Makes the secrets of a cluster when this process leads it and they are missing, and replaces what agents recognise each other by after
 * the key of one was revoked. Returns the function that ends it. A leader that fails at it is followed by another, which tries too.
 */
export function keepClusterSecrets(
  node: SecretsNode,
  { randomBytes, clock, log }: ClusterSecretsOptions,
): () => void {
  const freshSecret = () => randomBytes(clusterSecretBytes);
  /** Since when this process knows of the replacement that is to be done. */
  let noticed: { readonly id: string; readonly sinceMs: number } | undefined;
  let cancelLook = () => {};
  let isEnded = false;

  async function put(changes: Changes): Promise<void> {
    const { message } = await node.execute({ kind: 'putRecords', changes });
    if (message !== null) throw new Error(message);
  }

  async function make(): Promise<void> {
    const missing = Object.values(clusterSecrets).filter(
      ({ namespace, key }) => node.record(namespace, key) === undefined,
    );
    if (missing.length > 0) await put(missing.map((place) => ({ ...place, value: freshSecret() })));
  }

  async function replaceIfDue(): Promise<void> {
    const [asked, done] = [secretsReplacement.asked, secretsReplacement.done].map(({ namespace, key }) =>
      node.record(namespace, key)?.toString(),
    );
    if (asked === undefined || asked === done) {
      noticed = undefined;
      return;
    }
    // Who leads since a moment ago does not know since when it is to be done, and waits the whole time.
    if (noticed?.id !== asked) noticed = { id: asked, sinceMs: clock.monotonicMs() };
    if (clock.monotonicMs() - noticed.sinceMs < expulsionMs) return;
    await put([
      { ...clusterSecrets.pageExchange, value: freshSecret() },
      { ...secretsReplacement.done, value: Buffer.from(asked) },
    ]);
    log.info('replaced agent secret after key revocation');
  }

  function tryTo(work: () => Promise<void>, message: string): Promise<void> {
    if (node.role !== 'leader') {
      noticed = undefined;
      return Promise.resolve();
    }
    return work().catch((error: Error) => log.warn(message, { problem: error.message }));
  }

  const makeIfLeader = () => void tryTo(make, 'failed to create cluster secrets');
  function lookLater(): void {
    if (isEnded) return;
    cancelLook = clock.after(lookMs, () => {
      void tryTo(replaceIfDue, 'failed to replace agent secret, retrying').then(lookLater);
    });
  }

  makeIfLeader();
  lookLater();
  const stopListening = node.onRole(makeIfLeader);
  return () => {
    isEnded = true;
    cancelLook();
    stopListening();
  };
}
