import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock, Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { CredentialsKeeper } from '../credentials/credentials-keeper.ts';
import { SettingsFileProblem } from './settings-file-problem.ts';

/** The credentials that a file gives to one cluster, while this process serves it. */
interface OwnCredentials {
  /** Called with the cluster's node. Returns a function to call when the node ends. */
  attach(node: ClusterNode): () => Promise<void>;
  /** Rejects if the file is unusable. */
  started(): Promise<void>;
  /** Resolves when the cluster matches the file, if this process leads it. */
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
        log.error('failed to use credentials file', { path, error: error.message }),
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
