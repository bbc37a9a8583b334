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

/** The part of a node that is needed. */
type SecretsNode = Pick<ClusterNode, 'role' | 'onRole' | 'record' | 'execute'>;

interface ClusterSecretsOptions {
  readonly randomBytes: (count: number) => Buffer;
  readonly clock: Clock;
  readonly log: Log;
}

type Changes = Extract<Parameters<ClusterNode['execute']>[0], { kind: 'putEntries' }>['changes'];

/** How often a leader looks whether secrets are to be replaced. */
const checkIntervalMs = 2_000;
/**
 * Secrets are replaced so long after a key was revoked: until then connections with the key may be open, and would be
 * told the new ones. A key is known to be revoked after a second, and connections are looked at every ten.
 */
export const expulsionMs = 20_000;

/**
 * Makes the secrets of a cluster when this process leads it and they are missing, rotates them when their time is over,
 * and replaces what agents recognise each other by after the key of one was revoked. Returns the function that ends it.
 * A leader that fails at it is followed by another, which tries too.
 */
export function keepClusterSecrets(
  node: SecretsNode,
  { randomBytes, clock, log }: ClusterSecretsOptions,
): () => void {
  const freshSecret = () => randomBytes(clusterSecretBytes);
  /** Since when this process knows of the replacement that is to be done. */
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
    // Without a time, or with one that is still to come, the period begins now.
    if (!(rotatedMs <= nowMs)) return put([noteTime]);
    if (nowMs - rotatedMs < secretsPeriodMs) return;
    const changes: Changes[number][] = [noteTime];
    for (const secret of rotatedSecrets) {
      const { current, next, before } = rotationOf(secret);
      const [currentValue, nextValue] = [read(current), read(next)];
      // They are made as soon as this process leads.
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
    const [asked, done] = [secretsReplacement.asked, secretsReplacement.done].map((place) =>
      read(place)?.toString(),
    );
    if (asked === undefined || asked === done) {
      noticed = undefined;
      return;
    }
    // Who leads since a moment ago does not know since when it is to be done, and waits the whole time.
    if (noticed?.id !== asked) noticed = { id: asked, sinceMs: clock.monotonicMs() };
    if (clock.monotonicMs() - noticed.sinceMs < expulsionMs) return;
    // The owner of the revoked key knows all three.
    const known = Object.values(rotationOf(clusterSecrets.pageExchange));
    await put([
      ...known.map((place) => ({ ...place, value: freshSecret() })),
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
