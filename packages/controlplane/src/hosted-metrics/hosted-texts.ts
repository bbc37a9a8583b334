import { type Clock, Semaphore } from '@weir/core';
import { controlPlaneLimits } from '../limits.ts';
import { HostedText } from './hosted-text.ts';

export interface HostedTextsOptions {
  /** Measures a cluster. */
  readonly measure: (clusterId: string) => Promise<string>;
  /** How long a measurement is reused. */
  readonly cacheMs?: number;
  readonly bytesMax?: number;
  readonly clock: Clock;
}

/** Scrapers come every half minute; two that come together share one measurement. */
const cacheMsDefault = 10_000;

interface CachedText {
  readonly text: HostedText;
  readonly cancel: () => void;
}

/** The metrics of clusters as text, cached for some seconds. Concurrent requests share one measurement. */
export class HostedTexts {
  readonly #options: HostedTextsOptions;
  readonly #turns = new Semaphore({
    permits: controlPlaneLimits.hostedLooksRunningMax,
    waitingMax: controlPlaneLimits.hostedLooksWaitingMax,
  });
  readonly #measuring = new Map<string, Promise<HostedText>>();
  /** The oldest first. */
  readonly #cached = new Map<string, CachedText>();
  #cachedBytes = 0;

  constructor(options: HostedTextsOptions) {
    this.#options = options;
  }

  /** Rejects as `measure` does, in which case the next request tries again, or with `SemaphoreFull`. */
  async textOf(clusterId: string): Promise<HostedText> {
    const cached = this.#cached.get(clusterId);
    if (cached !== undefined) return cached.text;
    let measuring = this.#measuring.get(clusterId);
    if (measuring === undefined) {
      measuring = this.#refresh(clusterId).finally(() => this.#measuring.delete(clusterId));
      this.#measuring.set(clusterId, measuring);
    }
    return measuring;
  }

  close(): void {
    for (const clusterId of [...this.#cached.keys()]) this.#forget(clusterId);
  }

  get cachedBytes(): number {
    return this.#cachedBytes;
  }

  async #refresh(clusterId: string): Promise<HostedText> {
    const { measure } = this.#options;
    const text = new HostedText(await this.#turns.run(() => measure(clusterId)));
    this.#keep(clusterId, text);
    return text;
  }

  #keep(clusterId: string, text: HostedText): void {
    const {
      cacheMs = cacheMsDefault,
      bytesMax = controlPlaneLimits.hostedTextsBytesMax,
      clock,
    } = this.#options;
    const bytes = bytesOf(text);
    if (bytes > bytesMax) return;
    for (const oldest of this.#cached.keys()) {
      if (this.#cachedBytes + bytes <= bytesMax) break;
      this.#forget(oldest);
    }
    this.#cached.set(clusterId, { text, cancel: clock.after(cacheMs, () => this.#forget(clusterId)) });
    this.#cachedBytes += bytes;
  }

  #forget(clusterId: string): void {
    const { text, cancel } = this.#cached.get(clusterId)!;
    cancel();
    this.#cached.delete(clusterId);
    this.#cachedBytes -= bytesOf(text);
  }
}

/** With room for the compressed form, which is a fraction of it. */
function bytesOf({ plain }: HostedText): number {
  return plain.length * 1.5;
}
