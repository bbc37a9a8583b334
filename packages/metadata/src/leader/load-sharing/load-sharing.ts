import { backOffMs, type Clock, type Log } from '@weir/core';
import { preferenceRank, type SharingMember } from './preference-rank.ts';

export interface SharingTiming {
  /** How long a free lease is left to each better candidate: two polls of a standby. */
  readonly graceMs: number;
  /** How long another process must be the better one before a cluster is handed over to it. */
  readonly handoverDelayMs: number;
  /** The delay doubles up to this while a handed-over cluster returns. */
  readonly handoverDelayMsMax: number;
  /** The number of clusters handed over per check. */
  readonly handoversPerCheckMax: number;
}

const defaultSharingTiming: SharingTiming = {
  graceMs: 500,
  handoverDelayMs: 30_000,
  handoverDelayMsMax: 3_600_000,
  handoversPerCheckMax: 8,
};

/** The maximum number of better candidates that are waited for; a stricter order has no benefit. */
const waitedForMax = 4;

/** A cluster that this process leads. */
export interface LedCluster {
  readonly clusterId: string;
  readonly node: { handOver(reason: string): Promise<void> };
}

interface LoadSharingOptions {
  /** The id with which this process holds leases and is a member. */
  readonly selfId: string;
  /** The region of this process. */
  readonly region?: string | undefined;
  /** The regions in which a cluster should rather be led, the most preferred first. */
  readonly regionsOf?: (clusterId: string) => readonly string[];
  /** The clusters that it leads now. */
  readonly led: () => Iterable<LedCluster>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: Partial<SharingTiming>;
}

/** A cluster that this process leads although another one should. */
interface Stray {
  sinceMs: number;
  handovers: number;
  delayMs: number;
}

/**
 * Distributes clusters over processes without a coordinator: every process prefers the clusters for which it has the
 * highest rank among the live processes, leaves free leases to better ones for a moment, and hands over what a better
 * one should have. Regions that a cluster prefers go before ranks. All of this is voluntary: the lease alone decides
 * which process leads, and one with a wrong view of the others takes what no other takes.
 */
export class LoadSharing {
  readonly #options: LoadSharingOptions;
  readonly #timing: SharingTiming;
  #members: readonly SharingMember[] = [];
  readonly #strays = new Map<string, Stray>();

  constructor(options: LoadSharingOptions) {
    this.#options = options;
    this.#timing = { ...defaultSharingTiming, ...options.timing };
  }

  /** The `leaseGraceMs` of the node of a cluster. */
  graceOf(clusterId: string): (lastHolderId: string | undefined) => number {
    const { graceMs } = this.#timing;
    return (lastHolderId) => {
      // The last holder released the lease or let it expire, so it is unlikely to take it next. Without this exception
      // others would wait for it, because it counts as live for some more seconds.
      const others = this.#members.filter(({ id }) => id !== lastHolderId);
      return graceMs * Math.min(waitedForMax, this.#rank(clusterId, others));
    };
  }

  /**
   * Updates the live members, and hands over some of the clusters that others should lead. Must be called after each
   * membership check.
   */
  async look(members: readonly SharingMember[]): Promise<void> {
    this.#members = members;
    const { log } = this.#options;
    const due = this.#dueStrays();
    await Promise.all(
      due.map(async ({ clusterId, node }) => {
        log.info('handed over cluster to the process that should lead it', { clusterId });
        await node.handOver('leadership moved to another control plane for load balancing');
      }),
    );
  }

  #rank(clusterId: string, members: readonly SharingMember[]): number {
    const { selfId, region, regionsOf } = this.#options;
    return preferenceRank(clusterId, { id: selfId, region }, members, regionsOf?.(clusterId) ?? []);
  }

  #dueStrays(): LedCluster[] {
    const { led, clock } = this.#options;
    const { handoverDelayMs, handoverDelayMsMax, handoversPerCheckMax } = this.#timing;
    const nowMs = clock.monotonicMs();
    const due: LedCluster[] = [];
    const ledIds = new Set<string>();
    for (const cluster of led()) {
      const { clusterId } = cluster;
      ledIds.add(clusterId);
      if (this.#rank(clusterId, this.#members) === 0) {
        this.#strays.delete(clusterId);
        continue;
      }
      let stray = this.#strays.get(clusterId);
      if (stray === undefined) {
        stray = { sinceMs: nowMs, handovers: 0, delayMs: handoverDelayMs };
        this.#strays.set(clusterId, stray);
      }
      if (nowMs - stray.sinceMs < stray.delayMs || due.length === handoversPerCheckMax) continue;
      due.push(cluster);
      stray.sinceMs = nowMs;
      stray.handovers++;
      stray.delayMs = backOffMs(stray.handovers, { firstMs: handoverDelayMs, maxMs: handoverDelayMsMax });
    }
    // A handed-over cluster that did not return has found its place.
    for (const [clusterId, { sinceMs, delayMs }] of this.#strays)
      if (!ledIds.has(clusterId) && nowMs - sinceMs >= delayMs) this.#strays.delete(clusterId);
    return due;
  }
}
