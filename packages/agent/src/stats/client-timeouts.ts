import type { ReportedClient } from '@weir/cluster';
import { coreLimits, shortName } from '@weir/core';
import { agentLimits } from '../limits.ts';

interface ClientTimeout {
  timeoutMs: number;
  requestCount: number;
}

/** Default write timeout of clients. Clients that use it or a longer one, which is nearly all, are not stored. */
export const usualTimeoutMs = 30_000;

/** Producers with a shorter timeout than usual. If there are too many, those with the shortest timeouts are stored. */
export class ClientTimeouts {
  readonly #clients = new Map<string, ClientTimeout>();
  /** Upper bound of the stored timeouts; updated when there is no room. */
  #longestMs = Number.POSITIVE_INFINITY;

  note(clientId: string, timeoutMs: number, requestCount = 1): void {
    if (timeoutMs >= usualTimeoutMs) return;
    const client = this.#clients.get(clientId);
    if (client !== undefined) {
      client.timeoutMs = Math.min(client.timeoutMs, timeoutMs);
      client.requestCount += requestCount;
      return;
    }
    if (this.#clients.size >= agentLimits.notedClientsMax && !this.#makeRoom(timeoutMs)) return;
    this.#clients.set(clientId, { timeoutMs, requestCount });
  }

  /** Merges the stats of another instance. */
  absorb(other: ClientTimeouts): void {
    for (const [clientId, { timeoutMs, requestCount }] of other.#clients)
      this.note(clientId, timeoutMs, requestCount);
  }

  report(): readonly ReportedClient[] {
    return [...this.#clients]
      .map(([clientId, client]) => ({ clientId: shortName(clientId), ...client }))
      .sort((a, b) => a.timeoutMs - b.timeoutMs || b.requestCount - a.requestCount)
      .slice(0, coreLimits.reportedClientsMax);
  }

  #makeRoom(forTimeoutMs: number): boolean {
    if (forTimeoutMs >= this.#longestMs) return false;
    let longest: [clientId: string, client: ClientTimeout] | undefined;
    for (const entry of this.#clients) {
      if (longest === undefined || entry[1].timeoutMs > longest[1].timeoutMs) longest = entry;
    }
    this.#longestMs = longest![1].timeoutMs;
    return forTimeoutMs < this.#longestMs && this.#clients.delete(longest![0]);
  }
}
