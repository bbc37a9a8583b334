import type { Clock } from '@weir/core';
import { Gathering } from './gathering.ts';
import type { Head, JournalTables, LeaseToRenew } from './tables.ts';

/** A head, and whether its holder is known to be dead. */
interface ObservedHead extends Head {
  isHolderGone(): boolean;
}

/**
 * Batches the lease calls of all clusters of one process: a process that leads a thousand clusters and is a standby for
 * another thousand makes a few calls per beat, not thousands.
 */
export class LeaseCalls {
  readonly #tables: JournalTables;
  readonly #heads: Gathering<string, ObservedHead>;
  readonly #renewals: Gathering<LeaseToRenew, boolean>;

  constructor(tables: JournalTables, clock: Clock) {
    this.#tables = tables;
    this.#heads = new Gathering(clock, (clusterIds) => this.#observedHeads(clusterIds));
    this.#renewals = new Gathering(clock, (leases) => tables.renewLeases(leases));
  }

  head(clusterId: string): Promise<ObservedHead> {
    return this.#heads.ask(clusterId);
  }

  renew(lease: LeaseToRenew): Promise<boolean> {
    return this.#renewals.ask(lease);
  }

  /**
   * Whether a process is gone is looked up once for all rows of a call, because a lookup opens a file. The lookup
   * follows the read of the rows and is never cached beyond them: a restarted process has the old name, and a lease of
   * its own.
   */
  async #observedHeads(clusterIds: readonly string[]): Promise<ObservedHead[]> {
    const heads = await this.#tables.heads(clusterIds);
    const gone = new Map<string, boolean>();
    const isGone = (holderId: string) => {
      const known = gone.get(holderId) ?? this.#tables.isGone?.(holderId) === true;
      gone.set(holderId, known);
      return known;
    };
    return heads.map((head) => ({
      ...head,
      isHolderGone: () => head.holder !== undefined && isGone(head.holder.id),
    }));
  }
}
