import type { Clock } from '@weir/core';
import { controlPlaneLimits } from '../limits.ts';
import { HostedText } from './hosted-text.ts';
import { Turns } from './turns.ts';

export interface HostedTextsOptions {
  /** What there is to be told of a cluster now. */
  readonly measure: (clusterId: string) => Promise<string>;
  /** For how long what was measured is told. */
  readonly keptMs?: number;
  readonly bytesMax?: number;
  readonly clock: Clock;
}

/** Scrapers come every half minute; two that come together cost one look. */
const usualKeptMs = 10_000;

interface Kept {
  readonly text: HostedText;
  readonly cancel: () => void;
}

/** The metrics of clusters as text. Whoever asks within some seconds is told the same, and whoever asks meanwhile waits for the same look. */
export class HostedTexts {
  readonly #options: HostedTextsOptions;
  readonly #turns = new Turns({
    runningMax: controlPlaneLimits.hostedLooksRunningMax,
    waitingMax: controlPlaneLimits.hostedLooksWaitingMax,
  });
  readonly #looking = new Map<string, Promise<HostedText>>();
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;

  constructor(options: HostedTextsOptions) {
    this.#options = options;
  }

  /** Rejects as `measure` does, which is then tried again by the next who asks, or with `NoTurn`. */
  async textOf(clusterId: string): Promise<HostedText> {
    const kept = this.#kept.get(clusterId);
    if (kept !== undefined) return kept.text;
    let looking = this.#looking.get(clusterId);
    if (looking === undefined) {
      looking = this.#look(clusterId).finally(() => this.#looking.delete(clusterId));
      this.#looking.set(clusterId, looking);
    }
    return looking;
  }

  close(): void {
    for (const clusterId of [...this.#kept.keys()]) this.#forget(clusterId);
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  async #look(clusterId: string): Promise<HostedText> {
    const { measure } = this.#options;
    const text = new HostedText(await this.#turns.take(() => measure(clusterId)));
    this.#keep(clusterId, text);
    return text;
  }

  #keep(clusterId: string, text: HostedText): void {
    const { keptMs = usualKeptMs, bytesMax = controlPlaneLimits.hostedTextsBytesMax, clock } = this.#options;
    const bytes = bytesOf(text);
    if (bytes > bytesMax) return;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes + bytes <= bytesMax) break;
      this.#forget(oldest);
    }
    this.#kept.set(clusterId, { text, cancel: clock.after(keptMs, () => this.#forget(clusterId)) });
    this.#keptBytes += bytes;
  }

  #forget(clusterId: string): void {
    const { text, cancel } = this.#kept.get(clusterId)!;
    cancel();
    this.#kept.delete(clusterId);
    this.#keptBytes -= bytesOf(text);
  }
}

/** With room for its compressed form, which is a fraction of it. */
function bytesOf({ plain }: HostedText): number {
  return plain.length * 1.5;
}
