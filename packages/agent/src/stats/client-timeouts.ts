import type { ReportedClient } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { shortName } from './short-name.ts';

interface Noted {
  timeoutMs: number;
  requestCount: number;
}

/** Default write timeout of clients. Clients that use it or a longer one, which is nearly all, are not stored. */
export const usualTimeoutMs = 30_000;

/** Producers with a shorter timeout than usual. If there are too many, those with the shortest timeouts are stored. */
export class ClientTimeouts {
  readonly #noted = new Map<string, Noted>();
  /** Upper bound of the stored timeouts; updated when there is no room. */
  #longestMs = Number.POSITIVE_INFINITY;

  note(clientId: string, timeoutMs: number, requestCount = 1): void {
    if (timeoutMs >= usualTimeoutMs) return;
    const noted = this.#noted.get(clientId);
    if (noted !== undefined) {
      noted.timeoutMs = Math.min(noted.timeoutMs, timeoutMs);
      noted.requestCount += requestCount;
      return;
    }
    if (this.#noted.size >= agentLimits.notedClientsMax && !this.#makeRoom(timeoutMs)) return;
    this.#noted.set(clientId, { timeoutMs, requestCount });
  }

  /** Merges the stats of another instance. */
  absorb(other: ClientTimeouts): void {
    for (const [clientId, { timeoutMs, requestCount }] of other.#noted)
      this.note(clientId, timeoutMs, requestCount);
  }

  told(): readonly ReportedClient[] {
    return [...this.#noted]
      .map(([clientId, noted]) => ({ clientId: shortName(clientId), ...noted }))
      .sort((a, b) => a.timeoutMs - b.timeoutMs || b.requestCount - a.requestCount)
      .slice(0, coreLimits.reportedClientsMax);
  }

  #makeRoom(forTimeoutMs: number): boolean {
    if (forTimeoutMs >= this.#longestMs) return false;
    let longest: [clientId: string, noted: Noted] | undefined;
    for (const entry of this.#noted) {
      if (longest === undefined || entry[1].timeoutMs > longest[1].timeoutMs) longest = entry;
    }
    this.#longestMs = longest![1].timeoutMs;
    return forTimeoutMs < this.#longestMs && this.#noted.delete(longest![0]);
  }
}
