import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { CredentialsKeeper } from '../credentials/credentials-keeper.ts';
import { SettingsFileProblem } from './settings-file-problem.ts';

/** The credentials that a file gives to one cluster, for as long as this process serves it. */
interface OwnCredentials {
  /** Told of the cluster's node. Returns what ends with it. */
  attach(node: ClusterNode): () => Promise<void>;
  /** Rejects when the file cannot be used. */
  started(): Promise<void>;
  /** Resolves when the cluster has what the file says, if this process leads it. */
  applied(): Promise<void>;
}

export function ownCredentials(
  path: string | undefined,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): OwnCredentials {
  let keeper: Promise<CredentialsKeeper> | undefined;
  const freshId = () => randomUUID().replaceAll('-', '_');
  return {
    attach(node) {
      if (path === undefined) return async () => {};
      const made = CredentialsKeeper.start({ path, node, clock, log, randomBytes, freshId });
      keeper = made;
      // `started` reports the first failure; later ones are only logged.
      made.catch((error: Error) =>
        log.error('failed to use credentials file', { path, problem: error.message }),
      );
      return async () => {
        const stopped = await made.catch(() => undefined);
        stopped?.stop();
      };
    },
    async started() {
      await keeper?.catch((error: Error) => {
        throw new SettingsFileProblem('saslCredentialsFile', path!, error);
      });
    },
    async applied() {
      await (await keeper)?.applied();
    },
  };
}
