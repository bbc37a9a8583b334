import { ClusterUnavailable } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { RegistryService } from '@weir/registry';
import { controlPlaneLimits } from '../limits.ts';

/** A registry that was loaded. */
export interface LoadedRegistry {
  readonly service: RegistryService;
  /** Brings it up to date with the cluster. */
  refresh(): Promise<void>;
  /** Releases its memory and its connection. */
  close(): Promise<void>;
}

interface ClusterRegistriesOptions {
  /** Loads the registry of a cluster: all its entries. */
  readonly load: (clusterId: string) => Promise<LoadedRegistry>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A registry that is not used for so long is released. */
const idleMsMax = 120_000;

interface Held {
  readonly registry: Promise<LoadedRegistry>;
  users: number;
  lastUsedMs: number;
}

/**
 * The registries of clusters whose operations are called. Each is a replica in memory, so it is loaded on first use,
 * and released when it is idle or when another cluster needs its place.
 */
export class ClusterRegistries {
  readonly #options: ClusterRegistriesOptions;
  /** The least recently used first. */
  readonly #held = new Map<string, Held>();
  #cancelSweep: (() => void) | undefined;

  constructor(options: ClusterRegistriesOptions) {
    this.#options = options;
  }

  get loadedCount(): number {
    return this.#held.size;
  }

  /** Runs work on the registry of a cluster, which is up to date and stays loaded meanwhile. */
  async use<Result>(clusterId: string, work: (service: RegistryService) => Promise<Result>): Promise<Result> {
    const held = this.#hold(clusterId);
    held.users++;
    try {
      const { service, refresh } = await held.registry;
      // Other processes write too, and a call must see what calls before it wrote.
      await refresh();
      return await work(service);
    } finally {
      held.users--;
      held.lastUsedMs = this.#options.clock.monotonicMs();
      this.#sweepLater();
    }
  }

  close(): void {
    this.#cancelSweep?.();
    for (const clusterId of [...this.#held.keys()]) this.#release(clusterId);
  }

  #hold(clusterId: string): Held {
    const known = this.#held.get(clusterId);
    this.#held.delete(clusterId);
    if (known === undefined) this.#makeRoom();
    const held = known ?? this.#load(clusterId);
    this.#held.set(clusterId, held);
    return held;
  }

  #load(clusterId: string): Held {
    const { clock } = this.#options;
    const registry = this.#options.load(clusterId);
    const held = { registry, users: 0, lastUsedMs: clock.monotonicMs() };
    registry.catch(() => {
      // The next call tries again.
      if (this.#held.get(clusterId) === held) this.#held.delete(clusterId);
    });
    return held;
  }

  #makeRoom(): void {
    if (this.#held.size < controlPlaneLimits.loadedRegistriesMax) return;
    const idle = [...this.#held].find(([, { users }]) => users === 0);
    if (idle === undefined)
      throw new ClusterUnavailable(
        `${controlPlaneLimits.loadedRegistriesMax} other schema registries are in use`,
      );
    this.#release(idle[0]);
  }

  #release(clusterId: string): void {
    const held = this.#held.get(clusterId);
    this.#held.delete(clusterId);
    held?.registry
      .then((registry) => registry.close())
      .catch((error: Error) =>
        this.#options.log.warn('failed to close schema registry', { clusterId, error: error.message }),
      );
  }

  #sweepLater(): void {
    if (this.#held.size === 0) return;
    this.#cancelSweep ??= this.#options.clock.after(idleMsMax, () => {
      this.#cancelSweep = undefined;
      const nowMs = this.#options.clock.monotonicMs();
      for (const [clusterId, { users, lastUsedMs }] of [...this.#held])
        if (users === 0 && nowMs - lastUsedMs >= idleMsMax) this.#release(clusterId);
      this.#sweepLater();
    });
  }
}
