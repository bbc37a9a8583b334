import type { ClusterPort, RegistryEntry } from '@weir/cluster';
import type { RegistryState } from '../state/registry-state.ts';

/** What a reader needs of a cluster. */
type RegistryReadPort = Pick<ClusterPort, 'readRegistry'>;

interface RegistryReaderOptions {
  readonly port: RegistryReadPort;
  readonly pageBytesMax: number;
  readonly newState: () => RegistryState;
  /** Lets other work of the thread run. A leader in the same process answers without a pause. */
  readonly pause: () => Promise<void>;
}

/**
 * Brings a state up to date with the registry of its cluster, page by page. Pages after the first load take effect
 * together, so that a state never has a part of a change.
 */
export class RegistryReader {
  readonly #port: RegistryReadPort;
  readonly #pageBytesMax: number;
  readonly #newState: () => RegistryState;
  readonly #pause: () => Promise<void>;
  #state: RegistryState;
  /** The revision of the registry when this state began empty. */
  #startRevision = 0;

  constructor({ port, pageBytesMax, newState, pause }: RegistryReaderOptions) {
    this.#port = port;
    this.#pageBytesMax = pageBytesMax;
    this.#newState = newState;
    this.#pause = pause;
    this.#state = newState();
  }

  /** Another object after a reader has missed too much. */
  get state(): RegistryState {
    return this.#state;
  }

  /** Reads everything that changed since the last time. Must not run twice at a time. */
  async read(): Promise<void> {
    const entries: RegistryEntry[] = [];
    let afterRevision = this.#state.revision;
    for (;;) {
      if (afterRevision === 0) return this.#readAll();
      const page = await this.#page(afterRevision, this.#startRevision);
      if (page.restarts) return this.#readAll();
      entries.push(...page.entries);
      if (page.isComplete) {
        for (const { key, value } of entries) this.#state.apply(key, value);
        this.#state.revision = page.revision;
        return;
      }
      afterRevision = page.entries.at(-1)!.revision;
    }
  }

  /** Builds a new state, which replaces the other one when it is complete. */
  async #readAll(): Promise<void> {
    let state = this.#newState();
    let startRevision = 0;
    for (;;) {
      const page = await this.#page(state.revision, startRevision);
      if (page.restarts) state = this.#newState();
      if (state.revision === 0) startRevision = page.revision;
      for (const { key, value } of page.entries) state.apply(key, value);
      state.revision = page.isComplete ? page.revision : page.entries.at(-1)!.revision;
      if (page.isComplete) {
        this.#state = state;
        this.#startRevision = startRevision;
        return;
      }
      await this.#pause();
    }
  }

  #page(afterRevision: number, startRevision: number) {
    return this.#port.readRegistry({ afterRevision, startRevision, bytesMax: this.#pageBytesMax });
  }
}
