import type { Clock, Log } from '@weir/core';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';

export interface HousekeepingOptions {
  readonly accounts: Pick<AccountsDatabase, 'tidy' | 'virtualClusters'>;
  /** Removes the data of a cluster that cannot be restored, before its row is deleted. */
  readonly removeCluster: (cluster: VirtualCluster) => Promise<void>;
  /** Whether other clusters need the files of a cluster, which is then not forgotten. */
  readonly isNeeded?: (cluster: VirtualCluster) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

const intervalMs = 3_600_000;

/** Deletes expired data periodically. Every process does it; concurrent runs are safe. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #cancel = () => {};
  #round: Promise<void> = Promise.resolve();
  #hasStopped = false;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(intervalMs, () => {
      this.#round = this.tidy().then(() => {
        if (!this.#hasStopped) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#cancel();
    await this.#round;
  }

  /** Never rejects: failures are retried in the next round. */
  async tidy(): Promise<void> {
    const { accounts, log } = this.#options;
    try {
      await accounts.tidy();
      for (const cluster of await accounts.virtualClusters.listForgotten()) await this.#forget(cluster);
    } catch (error) {
      log.warn('failed to remove expired rows, retrying in an hour', {
        error: (error as Error).message,
      });
    }
  }

  async #forget(cluster: VirtualCluster): Promise<void> {
    if (this.#hasStopped || (await this.#options.isNeeded?.(cluster))) return;
    await this.#options.removeCluster(cluster);
    await this.#options.accounts.virtualClusters.forget(cluster);
    this.#options.log.info('removed deleted cluster', {
      clusterId: cluster.id,
      name: cluster.name,
    });
  }
}
