import { backOffMs, type Clock, type Log } from '@weir/core';
import { rendezvousRank } from './rendezvous.ts';

export interface SharingTiming {
  /** How long a free lease is left to each process that should rather have it: two polls of a standby. */
  readonly graceMs: number;
  /** How long another process has to be the better one before a cluster is handed over to it. */
  readonly handoverDelayMs: number;
  /** The delay doubles up to this while a cluster that was handed over comes back. */
  readonly handoverDelayMsMax: number;
  /** Clusters that are handed over after one look. */
  readonly handoversPerLookMax: number;
}

export const defaultSharingTiming: SharingTiming = {
  graceMs: 500,
  handoverDelayMs: 30_000,
  handoverDelayMsMax: 3_600_000,
  handoversPerLookMax: 8,
};

/** Of those that should rather have a lease, so many are waited for; whoever is behind them has no use for more order. */
const waitedForMax = 4;

/** A cluster that this process leads. */
export interface LedCluster {
  readonly clusterId: string;
  readonly node: { handOver(reason: string): Promise<void> };
}

export interface LoadSharingOptions {
  /** The id under which this process holds leases and is a member. */
  readonly selfId: string;
  /** The clusters that it leads just now. */
  readonly led: () => Iterable<LedCluster>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: Partial<SharingTiming>;
}

/** A cluster that is led here although another process should lead it. */
interface Stray {
  sinceMs: number;
  handovers: number;
  delayMs: number;
}

/**
 * Which process leads which cluster, where several share many. Nobody decides it: every process prefers the clusters for which it has
 * the highest rank among those that live, leaves free leases to better ones for a moment, and hands over what a better one should
 * have. All of it is courtesy: who leads is decided by the lease alone, and a process that is wrong about the others takes what
 * nobody else takes.
 */
export class LoadSharing {
  readonly #options: LoadSharingOptions;
  readonly #timing: SharingTiming;
  #memberIds: readonly string[] = [];
  readonly #strays = new Map<string, Stray>();

  constructor(options: LoadSharingOptions) {
    this.#options = options;
    this.#timing = { ...defaultSharingTiming, ...options.timing };
  }

  /** The `leaseGraceMs` of the node of a cluster. */
  graceOf(clusterId: string): (lastHolderId: string | undefined) => number {
    const { selfId } = this.#options;
    const { graceMs } = this.#timing;
    return (lastHolderId) => {
      // Whoever let go of the lease, or let it end, will hardly be the next to take it. Otherwise it would be waited for, because it
      // counts as living for some seconds more.
      const others = this.#memberIds.filter((id) => id !== selfId && id !== lastHolderId);
      return graceMs * Math.min(waitedForMax, rendezvousRank(clusterId, selfId, others));
    };
  }

  /** Takes note of who lives, and hands over some of what others should have. Call it whenever members were looked for. */
  async look(memberIds: readonly string[]): Promise<void> {
    this.#memberIds = memberIds;
    const { log } = this.#options;
    const due = this.#dueStrays();
    await Promise.all(
      due.map(async ({ clusterId, node }) => {
        log.info('handed over cluster to the process that should lead it', { clusterId });
        await node.handOver('another control plane should lead it');
      }),
    );
  }

  #dueStrays(): LedCluster[] {
    const { led, selfId, clock } = this.#options;
    const { handoverDelayMs, handoverDelayMsMax, handoversPerLookMax } = this.#timing;
    const nowMs = clock.monotonicMs();
    const due: LedCluster[] = [];
    const ledIds = new Set<string>();
    for (const cluster of led()) {
      const { clusterId } = cluster;
      ledIds.add(clusterId);
      if (rendezvousRank(clusterId, selfId, this.#memberIds) === 0) {
        this.#strays.delete(clusterId);
        continue;
      }
      let stray = this.#strays.get(clusterId);
      if (stray === undefined) {
        stray = { sinceMs: nowMs, handovers: 0, delayMs: handoverDelayMs };
        this.#strays.set(clusterId, stray);
      }
      if (nowMs - stray.sinceMs < stray.delayMs || due.length === handoversPerLookMax) continue;
      due.push(cluster);
      stray.sinceMs = nowMs;
      stray.handovers++;
      stray.delayMs = backOffMs(stray.handovers, { firstMs: handoverDelayMs, maxMs: handoverDelayMsMax });
    }
    // What was handed over and did not come back has found its place.
    for (const [clusterId, { sinceMs, delayMs }] of this.#strays)
      if (!ledIds.has(clusterId) && nowMs - sinceMs >= delayMs) this.#strays.delete(clusterId);
    return due;
  }
}
