import type { RegistryChange } from '../registry-change.ts';
import type { RegistryState } from './registry-state.ts';

/** Applies changes that are taken back: remembers the values that they replace. */
export class StateBefore {
  readonly #state: RegistryState;
  readonly #revision: number;
  readonly #replaced: RegistryChange[] = [];

  constructor(state: RegistryState) {
    this.#state = state;
    this.#revision = state.revision;
  }

  apply(changes: readonly RegistryChange[]): void {
    for (const { key, value } of changes) {
      this.#replaced.push({ key, value: this.#state.valueOf(key) });
      this.#state.apply(key, value);
      this.#state.revision++;
    }
  }

  restore(): void {
    for (const { key, value } of this.#replaced.reverse()) this.#state.apply(key, value);
    this.#state.revision = this.#revision;
  }
}
