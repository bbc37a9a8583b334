import type { AccountsPart } from './accounts-part.ts';

/** Accounts that are loaded on first use. The next use tries again after a failure. */
export class LateAccounts {
  readonly #begin: () => Promise<AccountsPart>;
  readonly #stop: AbortSignal;
  #loading: Promise<AccountsPart> | undefined;
  #loaded: AccountsPart | undefined;

  /** Once the signal is aborted nothing is begun any more. */
  constructor(begin: () => Promise<AccountsPart>, stop: AbortSignal) {
    this.#begin = begin;
    this.#stop = stop;
  }

  get loaded(): AccountsPart | undefined {
    return this.#loaded;
  }

  load(): Promise<AccountsPart> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Resolves when nothing is on its way, so that what was opened can be closed. */
  async settled(): Promise<void> {
    await this.#loading?.catch(() => undefined);
  }

  async #load(): Promise<AccountsPart> {
    try {
      this.#stop.throwIfAborted();
      this.#loaded = await this.#begin();
      return this.#loaded;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}
