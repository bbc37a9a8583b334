import type { AccountsPart } from './accounts-part.ts';

/** Accounts that are loaded on first use. After a failure the next use tries again. */
export class LateAccounts {
  readonly #begin: () => Promise<AccountsPart>;
  readonly #stop: AbortSignal;
  #loading: Promise<AccountsPart> | undefined;
  #loaded: AccountsPart | undefined;

  /** Once the signal is aborted no load starts. */
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

  /** Resolves when no load is in flight, so that opened resources can be closed. */
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
