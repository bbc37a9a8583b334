import type { EntriesView } from '@weir/cluster';
import { type Clock, type Metrics, type QuotaKey, RecentlyUsed, TokenBucket } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import { type BindingQuota, type QuotaClient, QuotaLookup } from './binding-quotas.ts';
import { MutationQuota } from './mutation-quota.ts';
import { type QuotaMetrics, quotaMetrics } from './quota-metrics.ts';
import { burstOf, RateWindow, sampleMs, windowAllowance } from './rate-window.ts';

interface ClientQuotasOptions {
  /** The entries of the namespace `clientQuota`. */
  readonly records: EntriesView;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** A quota that applies to a client. */
export interface UsedQuota {
  /** Clients with the same key share it. */
  readonly sharedKey: string;
  readonly waitMs: number;
}

interface SentAnswer {
  readonly sentBytes: number;
  readonly fetchedBytes: number;
}

/**
 * Quotas of clients on this agent, and their usage. As in Kafka every agent counts for itself: a quota of 1 MB/s is 1
 * MB/s at each agent that a client uses.
 *
 * Methods return how long the client has to wait, in milliseconds. The caller answers the request first, and then the
 * connection is not read for that long.
 */
export class ClientQuotas {
  readonly #lookup: QuotaLookup;
  readonly #clock: Clock;
  readonly #metrics: QuotaMetrics;
  /** Until when clients have to wait for what they have done, by what they share. */
  readonly #throttles = new RecentlyUsed<{ untilMs: number }>(brokerLimits.quotaSensorsMax);
  readonly #rates = new RecentlyUsed<RateWindow>(brokerLimits.quotaSensorsMax);
  readonly #buckets = new RecentlyUsed<TokenBucket>(brokerLimits.quotaSensorsMax);

  constructor({ records, clock, metrics }: ClientQuotasOptions) {
    this.#lookup = new QuotaLookup(records);
    this.#clock = clock;
    this.#metrics = quotaMetrics(metrics);
  }

  /** Whether there are no quotas, so that nothing has to be measured. */
  get areNone(): boolean {
    return this.#lookup.isEmpty;
  }

  /** Counts the bytes of a Produce request that was accepted. */
  produced(client: QuotaClient, bytes: number): number {
    return this.#recorded('producer_byte_rate', client, bytes);
  }

  /**
   * Counts the bytes of a Fetch answer. If the client has to wait, they are not sent and do not count. An answer that
   * is larger than a whole window allows is sent if the window is empty, because it could never be sent otherwise.
   */
  fetched(client: QuotaClient, bytes: number): number {
    const quota = this.#quota('consumer_byte_rate', client);
    if (quota === undefined || bytes === 0) return 0;
    const nowMs = this.#clock.monotonicMs();
    const rate = this.#rate(quota);
    const isFirst = rate.total(nowMs) === 0;
    rate.record(bytes, nowMs);
    const waitMs = rate.excessMs(quota.perSecond, nowMs);
    if (waitMs === 0) return 0;
    // The answer is sent, and what comes next waits.
    if (isFirst) {
      this.#noteThrottle(quota, waitMs);
      return 0;
    }
    rate.record(-bytes, nowMs);
    return this.#noteThrottle(quota, this.#throttled('consumer_byte_rate', waitMs));
  }

  /**
   * Counts an answer over HTTP by what was sent, as those to Kafka clients are, in place of the stored bytes that its
   * Fetch counted: text, base64 and compression make it longer or shorter. What is to wait is the next request.
   */
  sentInstead(client: QuotaClient, { sentBytes, fetchedBytes }: SentAnswer): void {
    const quota = this.#quota('consumer_byte_rate', client);
    if (quota === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const rate = this.#rate(quota);
    // Of what was counted before the window nothing is left to give back.
    rate.record(Math.max(sentBytes - fetchedBytes, -rate.total(nowMs)), nowMs);
    this.#noteThrottle(quota, this.#throttled('consumer_byte_rate', rate.excessMs(quota.perSecond, nowMs)));
  }

  /** Upper bound for one answer, because a larger one would have to wait forever. */
  fetchBytesMax(client: QuotaClient): number {
    const quota = this.#quota('consumer_byte_rate', client);
    return quota === undefined ? Number.POSITIVE_INFINITY : Math.ceil(windowAllowance(quota.perSecond));
  }

  /** Counts the processor time of a request. */
  worked(client: QuotaClient, ms: number): number {
    return this.#recorded('request_percentage', client, ms / 10);
  }

  /** A quota of a client, and how long it has to wait for what was done before: for clients that are not muted. */
  used(client: QuotaClient, key: QuotaKey): UsedQuota | undefined {
    const quota = this.#quota(key, client);
    if (quota === undefined) return undefined;
    const { sharedKey } = quota;
    const { untilMs } = this.#throttles.of(sharedKey, () => ({ untilMs: 0 }));
    return { sharedKey, waitMs: Math.max(0, untilMs - this.#clock.monotonicMs()) };
  }

  #noteThrottle({ sharedKey }: BindingQuota, waitMs: number): number {
    if (waitMs === 0) return 0;
    const throttle = this.#throttles.of(sharedKey, () => ({ untilMs: 0 }));
    const untilMs = this.#clock.monotonicMs() + Math.min(waitMs, brokerLimits.quotaThrottleMsMax);
    throttle.untilMs = Math.max(throttle.untilMs, untilMs);
    return waitMs;
  }

  /**
   * Quota for partitions that a request creates or deletes. With `isStrict`, requests beyond the quota are refused;
   * other clients wait afterwards.
   */
  mutations(client: QuotaClient, isStrict: boolean): MutationQuota {
    const quota = this.#quota('controller_mutation_rate', client);
    if (quota === undefined) return new MutationQuota();
    const bucket = this.#buckets.of(quota.sharedKey, () => new TokenBucket());
    this.#countSensors();
    return new MutationQuota({
      bucket,
      rate: { perSecond: quota.perSecond, burst: burstOf(quota.perSecond) },
      isStrict,
      nowMs: () => this.#clock.monotonicMs(),
      onThrottled: (waitMs) => this.#throttled('controller_mutation_rate', waitMs),
    });
  }

  /** Counts a new connection; one that has to wait does not count, and is closed after the wait. */
  connected(address: string): number {
    const quota = this.#lookup.isEmpty ? undefined : this.#lookup.ofAddress(address).connection_creation_rate;
    if (quota === undefined) return 0;
    const nowMs = this.#clock.monotonicMs();
    const rate = this.#rate(quota);
    rate.record(1, nowMs);
    const waitMs = rate.excessMs(quota.perSecond, nowMs);
    if (waitMs === 0) return 0;
    rate.record(-1, nowMs);
    return this.#throttled('connection_creation_rate', Math.min(sampleMs, waitMs));
  }

  #recorded(key: QuotaKey, client: QuotaClient, amount: number): number {
    const quota = this.#quota(key, client);
    if (quota === undefined) return 0;
    const nowMs = this.#clock.monotonicMs();
    const rate = this.#rate(quota);
    rate.record(amount, nowMs);
    const waitMs = this.#throttled(key, rate.excessMs(quota.perSecond, nowMs));
    return this.#noteThrottle(quota, key === 'request_percentage' ? Math.min(sampleMs, waitMs) : waitMs);
  }

  #quota(key: QuotaKey, client: QuotaClient): BindingQuota | undefined {
    return this.#lookup.isEmpty ? undefined : this.#lookup.ofClient(client)[key];
  }

  #rate({ sharedKey }: BindingQuota): RateWindow {
    const rate = this.#rates.of(sharedKey, () => new RateWindow());
    this.#countSensors();
    return rate;
  }

  #countSensors(): void {
    this.#metrics.sensors.set(this.#rates.count + this.#buckets.count);
  }

  #throttled(key: QuotaKey, waitMs: number): number {
    if (waitMs > 0) this.#metrics.throttled(key).add(1);
    return Math.min(waitMs, brokerLimits.quotaThrottleMsMax);
  }
}
