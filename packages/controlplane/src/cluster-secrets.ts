import {
  clusterSecretBytes,
  clusterSecrets,
  rotatedSecrets,
  rotationOf,
  type SecretPlace,
  secretsPeriodMs,
  secretsReplacement,
  secretsRotatedAt,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';

/** The methods of a node that are needed. */
type SecretsNode = Pick<ClusterNode, 'role' | 'onRole' | 'record' | 'execute'>;

interface ClusterSecretsOptions {
  readonly randomBytes: (count: number) => Buffer;
  readonly clock: Clock;
  readonly log: Log;
}

type Changes = Extract<Parameters<ClusterNode['execute']>[0], { kind: 'putEntries' }>['changes'];

/** How often a leader checks whether secrets have to be replaced. */
const checkIntervalMs = 2_000;
/**
 * The delay between the revocation of a key and the replacement of secrets: until then connections with the key may be
 * open, and would receive the new ones. Processes learn of a revocation within a second, and check connections every
 * ten.
 */
export const expulsionMs = 20_000;

/**
 * Creates the secrets of a cluster when this process leads it and they are missing, rotates them when they expire, and
 * replaces the agents' shared secret after the key of one was revoked. Returns the function that ends it. If a leader
 * fails, the next leader tries again.
 */
export function keepClusterSecrets(
  node: SecretsNode,
  { randomBytes, clock, log }: ClusterSecretsOptions,
): () => void {
  const freshSecret = () => randomBytes(clusterSecretBytes);
  /** When this process first saw the pending replacement. */
  let noticed: { readonly id: string; readonly sinceMs: number } | undefined;
  let cancelCheck = () => {};
  let isEnded = false;

  async function put(changes: Changes): Promise<void> {
    const { message } = await node.execute({ kind: 'putEntries', changes });
    if (message !== null) throw new Error(message);
  }

  const read = ({ namespace, key }: SecretPlace) => node.record(namespace, key);

  async function make(): Promise<void> {
    const places = [
      ...Object.values(clusterSecrets),
      ...rotatedSecrets.map((secret) => rotationOf(secret).next),
    ];
    const missing = places.filter((place) => read(place) === undefined);
    if (missing.length > 0) await put(missing.map((place) => ({ ...place, value: freshSecret() })));
  }

  async function rotateIfDue(): Promise<void> {
    const nowMs = clock.nowMs();
    const rotatedMs = Number(read(secretsRotatedAt) ?? Number.NaN);
    const noteTime = { ...secretsRotatedAt, value: Buffer.from(String(nowMs)) };
    // Without a time, or with one in the future, the period begins now.
    if (!(rotatedMs <= nowMs)) return put([noteTime]);
    if (nowMs - rotatedMs < secretsPeriodMs) return;
    const changes: Changes[number][] = [noteTime];
    for (const secret of rotatedSecrets) {
      const { current, next, before } = rotationOf(secret);
      const [currentValue, nextValue] = [read(current), read(next)];
      // They are created as soon as this process leads.
      if (currentValue === undefined || nextValue === undefined) return make();
      changes.push(
        { ...before, value: currentValue },
        { ...current, value: nextValue },
        { ...next, value: freshSecret() },
      );
    }
    await put(changes);
    log.info('replaced cluster secrets on schedule');
  }

  async function replaceIfDue(): Promise<void> {
    const [requested, done] = [secretsReplacement.asked, secretsReplacement.done].map((place) =>
      read(place)?.toString(),
    );
    if (requested === undefined || requested === done) {
      noticed = undefined;
      return;
    }
    // A new leader does not know when the replacement was requested, and waits the whole time.
    if (noticed?.id !== requested) noticed = { id: requested, sinceMs: clock.monotonicMs() };
    if (clock.monotonicMs() - noticed.sinceMs < expulsionMs) return;
    // The owner of the revoked key knows all three.
    const known = Object.values(rotationOf(clusterSecrets.pageExchange));
    await put([
      ...known.map((place) => ({ ...place, value: freshSecret() })),
      { ...secretsReplacement.done, value: Buffer.from(requested) },
    ]);
    log.info('replaced agent secret after key revocation');
  }

  function tryTo(work: () => Promise<void>, message: string): Promise<void> {
    if (node.role !== 'leader') {
      noticed = undefined;
      return Promise.resolve();
    }
    return work().catch((error: Error) => log.warn(message, { error: error.message }));
  }

  const makeIfLeader = () => void tryTo(make, 'failed to create cluster secrets');
  function checkLater(): void {
    if (isEnded) return;
    cancelCheck = clock.after(checkIntervalMs, () => {
      void tryTo(replaceIfDue, 'failed to replace agent secret, retrying')
        .then(() => tryTo(rotateIfDue, 'failed to rotate cluster secrets, retrying'))
        .then(checkLater);
    });
  }

  makeIfLeader();
  checkLater();
  const stopListening = node.onRole(makeIfLeader);
  return () => {
    isEnded = true;
    cancelCheck();
    stopListening();
  };
}
