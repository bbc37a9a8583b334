import type { Clock } from '@weir/core';
import { normalAddress } from '../addresses.ts';
import type { ServedCluster } from './served-cluster.ts';

/** Longer than it takes to replace a leader, and shorter than any deadline. */
const waitMsMax = 4_500;

/**
 * Calls and followers of a client that could not reach the leader. The client is not redirected there: they wait here
 * for another leader, perhaps this process.
 */
export class LeaderWait {
  readonly #clock: Clock;
  readonly #isOpen: () => boolean;
  /** Addresses that the client could not reach when it connected. */
  #unreachable: ReadonlySet<string> = new Set();
  /** Called with whether the leader changed. */
  readonly #waiting = new Set<(isChanged: boolean) => void>();

  constructor(clock: Clock, isOpen: () => boolean) {
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  setUnreachable(addresses: readonly string[]): void {
    this.#unreachable = new Set(addresses);
  }

  /** When a wait that starts now ends at the latest. */
  deadlineMs(): number {
    return this.#clock.monotonicMs() + waitMsMax;
  }

  /** Waits for another leader than the one at `leaderUrl`. Returns whether a retry makes sense. */
  hasLeaderChanged(
    cluster: ServedCluster,
    leaderUrl: string | undefined,
    deadlineMs: number,
  ): Promise<boolean> {
    const leftMs = deadlineMs - this.#clock.monotonicMs();
    const canGoThere = leaderUrl !== undefined && !this.#unreachable.has(normalAddress(leaderUrl));
    if (canGoThere || leftMs <= 0 || !this.#isOpen() || cluster.onLeader === undefined) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const done = (isChanged: boolean) => {
        this.#waiting.delete(done);
        stopListening();
        cancel();
        resolve(isChanged);
      };
      const stopListening = cluster.onLeader!(() => done(true));
      const cancel = this.#clock.after(leftMs, () => done(false));
      this.#waiting.add(done);
    });
  }

  /** Ends all waits without a new leader. */
  giveUp(): void {
    for (const done of this.#waiting) done(false);
  }
}
