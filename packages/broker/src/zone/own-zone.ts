import type { Clock, Log } from '@weir/core';
import type { FoundZone } from './look-up-zone.ts';
import type { ZoneWarnings } from './zone-warnings.ts';

/** The zone of an agent without a configured or discovered one. */
export const unsetZone = 'SERVICE_UNSET_AZ';

interface OwnZoneOptions {
  readonly lookUp: (stop: AbortSignal) => Promise<FoundZone>;
  readonly clock: Clock;
  readonly log: Log;
  readonly warnings: ZoneWarnings;
}

/** A failed lookup is repeated, because a metadata service may start late. */
const againMs = 60_000;

/**
 * The zone of this agent, discovered while it already serves: until it is known, clients of the zone are sent to other
 * agents, and nothing waits for it.
 */
export class OwnZone {
  readonly #options: OwnZoneOptions;
  readonly #stop = new AbortController();
  #zone = unsetZone;
  #cancel: (() => void) | undefined;

  constructor(options: OwnZoneOptions) {
    this.#options = options;
  }

  get zone(): string {
    return this.#zone;
  }

  /** Starts the discovery. Resolves after the first lookup, successful or not. */
  async start(): Promise<void> {
    const { lookUp, clock, log, warnings } = this.#options;
    const found = await lookUp(this.#stop.signal).catch((error: unknown) => ({ problem: String(error) }));
    if (this.#stop.signal.aborted) return;
    if ('zone' in found) {
      this.#zone = found.zone;
      log.info('found availability zone', { zone: found.zone, platform: found.platform });
      return;
    }
    warnings.warn('failed to find availability zone, set -availabilityZone', { error: found.problem });
    this.#cancel = clock.after(againMs, () => void this.start());
  }

  stop(): void {
    this.#stop.abort();
    this.#cancel?.();
  }
}
