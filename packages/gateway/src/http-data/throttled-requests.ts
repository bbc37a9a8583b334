import type { ClientQuotas, QuotaClient, UsedQuota } from '@weir/broker';
import { type Clock, pauseUnlessStopped } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';

interface ThrottledRequestsOptions {
  readonly quotas: ClientQuotas;
  readonly clock: Clock;
}

/** Requests of clients that share a quota which they have exceeded. */
interface Queue {
  /** Resolves when the requests before have been served. */
  last: Promise<void>;
  waiting: number;
}

const { httpThrottleWaitMsMax, httpThrottledRequestsMax, httpThrottledRequestsPerQuotaMax } = gatewayLimits;

/**
 * Holds requests of clients that have exceeded a quota. A Kafka connection is not read for a throttle time; a client of
 * HTTP has many connections, so that its next requests wait, whichever they come on, before their bodies are read. They
 * are then served one after the other, since each may exceed the quota again.
 */
export class ThrottledRequests {
  readonly #quotas: ClientQuotas;
  readonly #clock: Clock;
  readonly #queues = new Map<string, Queue>();
  #waiting = 0;

  constructor({ quotas, clock }: ThrottledRequestsOptions) {
    this.#quotas = quotas;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves when a request may be served; the result is called when it has been. Throws a problem with 429 if that
   * would take too long.
   */
  async admit(client: QuotaClient, byteRate: ByteRate, closed: AbortSignal): Promise<() => void> {
    const quota = this.#usedQuota(client, byteRate);
    if (quota === undefined) return nothing;
    const known = this.#queues.get(quota.sharedKey);
    if (quota.waitMs === 0 && known === undefined) return nothing;
    const isFull =
      this.#waiting >= httpThrottledRequestsMax || (known?.waiting ?? 0) >= httpThrottledRequestsPerQuotaMax;
    if (isFull || quota.waitMs > httpThrottleWaitMsMax) throw tooFast(quota.waitMs);
    const queue = known ?? { last: Promise.resolve(), waiting: 0 };
    this.#queues.set(quota.sharedKey, queue);
    const before = queue.last;
    const { promise: served, resolve: release } = Promise.withResolvers<void>();
    const last = before.then(() => served);
    queue.last = last;
    void last.then(() => {
      if (queue.last === last) this.#queues.delete(quota.sharedKey);
    });
    queue.waiting++;
    this.#waiting++;
    try {
      await this.#wait(client, byteRate, { before, closed });
      return release;
    } catch (error) {
      release();
      throw error;
    } finally {
      queue.waiting--;
      this.#waiting--;
    }
  }

  /** Waits for the requests before, and then until the client is within its quotas. */
  async #wait(
    client: QuotaClient,
    byteRate: ByteRate,
    { before, closed }: { readonly before: Promise<void>; readonly closed: AbortSignal },
  ): Promise<void> {
    const clock = this.#clock;
    const endMs = clock.monotonicMs() + httpThrottleWaitMsMax;
    const isOver = new AbortController();
    const stop = AbortSignal.any([closed, isOver.signal]);
    const isTurn = before.then(() => true);
    const timeout = pauseUnlessStopped(clock, httpThrottleWaitMsMax, stop).then(() => false);
    const isOwnTurn = await Promise.race([isTurn, timeout]);
    isOver.abort();
    for (;;) {
      if (closed.aborted) throw new HttpProblem(400, 'The client has left.');
      const waitMs = this.#usedQuota(client, byteRate)?.waitMs ?? 0;
      if (!isOwnTurn || clock.monotonicMs() + waitMs > endMs) throw tooFast(waitMs);
      if (waitMs === 0) return;
      await pauseUnlessStopped(clock, waitMs, closed);
    }
  }

  /** Of the quotas of a client the one that it has to wait for the longest. */
  #usedQuota(client: QuotaClient, byteRate: ByteRate): UsedQuota | undefined {
    const ofBytes = this.#quotas.used(client, byteRate);
    const ofTime = this.#quotas.used(client, 'request_percentage');
    if (ofBytes === undefined || ofTime === undefined) return ofBytes ?? ofTime;
    return ofTime.waitMs > ofBytes.waitMs ? ofTime : ofBytes;
  }
}

type ByteRate = 'producer_byte_rate' | 'consumer_byte_rate';

function nothing(): void {}

function tooFast(waitMs: number): HttpProblem {
  return new HttpProblem(
    429,
    'The client exceeds its quota; send less, or wait as long as Retry-After says.',
    {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    },
  );
}
