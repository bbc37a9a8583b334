import type { Clock } from '@weir/core';
import { normalAddress } from '../addresses.ts';
import type { ServedCluster } from './served-cluster.ts';

/** Longer than it takes to replace a leader, and shorter than any deadline. */
const waitMsMax = 4_500;
/** What a client said about addresses when it connected. Later they may lead again, and be reached. */
const doubtMsMax = 10_000;

/**
 * Calls and followers of a client that could not reach the leader, or got no answer from it. The client is not
 * redirected there: they wait here for another leader, perhaps this process, or for a sign of life of a silent one.
 */
export class LeaderWait {
  readonly #clock: Clock;
  readonly #isOpen: () => boolean;
  /** Addresses that the client could not reach when it connected. */
  #unreachable: ReadonlySet<string> = new Set();
  /** Addresses whose processes the client left because they were silent. */
  #silent: ReadonlySet<string> = new Set();
  #doubtEndMs = 0;
  /** Called with whether the leader changed. */
  readonly #waiting = new Set<(isChanged: boolean) => void>();

  constructor(clock: Clock, isOpen: () => boolean) {
    this.#clock = clock;
    this.#isOpen = isOpen;
  }

  setDoubtful(unreachable: readonly string[], silent: readonly string[]): void {
    this.#unreachable = new Set(unreachable);
    this.#silent = new Set(silent);
    this.#doubtEndMs = this.#clock.monotonicMs() + doubtMsMax;
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
    const address = leaderUrl === undefined ? undefined : normalAddress(leaderUrl);
    const isInDoubt = this.#clock.monotonicMs() < this.#doubtEndMs;
    const isUnreachable = address === undefined || (isInDoubt && this.#unreachable.has(address));
    const isSilent = address !== undefined && isInDoubt && this.#silent.has(address);
    if (!isUnreachable && !isSilent) return Promise.resolve(false);
    if (leftMs <= 0 || !this.#isOpen() || cluster.onLeader === undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (isChanged: boolean) => {
        this.#waiting.delete(done);
        for (const stop of stops) stop?.();
        resolve(isChanged);
      };
      const stops = [
        cluster.onLeader!(() => done(true)),
        // It lives, and the client can go there.
        isUnreachable ? undefined : cluster.onLeaderRenewed?.(() => done(false)),
        this.#clock.after(leftMs, () => done(false)),
      ];
      this.#waiting.add(done);
    });
  }

  /** Ends all waits without a new leader. */
  giveUp(): void {
    for (const done of this.#waiting) done(false);
  }
}
