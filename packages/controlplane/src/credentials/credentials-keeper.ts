import type { Clock, Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { readPrivateFile } from '../files/private-file.ts';
import { WatchedFile } from '../files/watched-file.ts';
import { applyCredentials, type CredentialsNode, type Sources } from './apply-credentials.ts';
import type { FileCredential } from './credentials-file.ts';

interface CredentialsKeeperOptions extends Sources {
  readonly path: string;
  readonly node: CredentialsNode & Pick<ClusterNode, 'role' | 'onRole'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Applies a credentials file to a cluster whenever this process leads it. */
export class CredentialsKeeper {
  readonly #options: CredentialsKeeperOptions;
  readonly #file: WatchedFile<readonly FileCredential[]>;
  readonly #endListening: () => void;
  /** Whether the cluster may differ from the file. */
  #isDue = true;
  #hasStopped = false;
  /** Serializes the applications. */
  #applying: Promise<void> = Promise.resolve();

  private constructor(options: CredentialsKeeperOptions, file: WatchedFile<readonly FileCredential[]>) {
    this.#options = options;
    this.#file = file;
    this.#endListening = options.node.onRole(() => {
      // The previous leader may have had another file.
      this.#isDue = true;
      void this.applied();
    });
    file.watch((hasChanged) => {
      this.#isDue ||= hasChanged;
      void this.applied();
    });
  }

  /** Fails if the file is unusable. */
  static async start(options: CredentialsKeeperOptions): Promise<CredentialsKeeper> {
    const { path, clock, log } = options;
    // Loaded with its schema only if there is a file.
    const { parseCredentials } = await import('./credentials-file.ts');
    const file = await WatchedFile.open({ path, read: readPrivateFile, parse: parseCredentials, clock, log });
    const keeper = new CredentialsKeeper(options, file);
    void keeper.applied();
    return keeper;
  }

  /** Resolves when everything that was due was tried. Failures are retried with the next check of the file. */
  applied(): Promise<void> {
    this.#applying = this.#applying.then(() => this.#apply());
    return this.#applying;
  }

  /** Starts nothing more. Work in flight ends with the node. */
  stop(): void {
    this.#hasStopped = true;
    this.#endListening();
    this.#file.stop();
  }

  async #apply(): Promise<void> {
    const { node, path, log } = this.#options;
    if (this.#hasStopped || !this.#isDue || node.role !== 'leader') return;
    this.#isDue = false;
    try {
      const { put, deleted, refused } = await applyCredentials(node, this.#file.content, this.#options);
      if (put.length > 0 || deleted.length > 0) {
        log.info('applied credentials file', {
          path,
          put: put.join(' '),
          deleted: deleted.join(' '),
        });
      }
      for (const { name, problem } of refused) {
        log.error('refused credential of credentials file', { path, name, error: problem });
      }
    } catch (error) {
      this.#isDue = true;
      if (this.#hasStopped) return;
      log.warn('failed to apply credentials file, retrying', {
        path,
        error: (error as Error).message,
      });
    }
  }
}
