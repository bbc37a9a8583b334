import type { ServerResponse } from 'node:http';
import type { Clock, MetricRow, Metrics } from '@weir/core';

interface UnreadLimits {
  /** How long a peer may leave bytes unread. */
  readonly msMax: number;
  /** The limit on unread bytes of all peers. */
  readonly bytesMax: number;
}

export const connectionsCutRow: MetricRow<'reason'> = {
  name: 'control_plane_connections_cut_total',
  kind: 'counter',
  help: 'Connections that were ended since the peer read its answers too slowly (slow), since too much was unread (memory), or since it sent too many requests before it had read an answer (requests).',
  labels: ['reason'],
};

const checkIntervalMs = 1_000;

/**
 * Ends connections whose peers send requests and do not read: after a timeout each, and the longest waiting ones first
 * when all of them together exceed the limit. Reading a byte now and then does not help: unread bytes must drain
 * completely within the time.
 */
export class UnreadAnswers {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #limits: UnreadLimits;
  /** Open answers, and since when each has had unread bytes. */
  readonly #open = new Map<ServerResponse, number | undefined>();
  #isScheduled = false;

  constructor(
    limits: UnreadLimits,
    { clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics },
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  watch(response: ServerResponse): void {
    this.#open.set(response, undefined);
    response.once('close', () => this.#open.delete(response));
    this.#checkLater();
  }

  #checkLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#clock.after(checkIntervalMs, () => {
      this.#isScheduled = false;
      this.#check();
      if (this.#open.size > 0) this.#checkLater();
    });
  }

  #check(): void {
    const nowMs = this.#clock.monotonicMs();
    const unread: { readonly response: ServerResponse; readonly sinceMs: number; readonly bytes: number }[] =
      [];
    for (const [response, knownMs] of this.#open) {
      const bytes = response.writableLength;
      const sinceMs = bytes === 0 ? undefined : (knownMs ?? nowMs);
      this.#open.set(response, sinceMs);
      if (sinceMs !== undefined) unread.push({ response, sinceMs, bytes });
    }
    let bytesLeft = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { response, sinceMs, bytes } of unread.sort((one, other) => one.sinceMs - other.sinceMs)) {
      const isSlow = nowMs - sinceMs >= this.#limits.msMax;
      if (!isSlow && bytesLeft <= this.#limits.bytesMax) return;
      bytesLeft -= bytes;
      this.#metrics.series(connectionsCutRow, { reason: isSlow ? 'slow' : 'memory' }).add(1);
      response.destroy();
    }
  }
}
