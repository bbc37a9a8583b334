import type { RegistryChange } from './registry-change.ts';
import type { RegistryState } from './state/registry-state.ts';

/** What a decision leads to. */
export type Decision<Reply> =
  | { readonly changes: readonly RegistryChange[]; readonly reply: Reply }
  /** Work that the decision needs first, such as a check of compatibility in another thread. Decide again after it. */
  | { readonly after: Promise<void> };

/** The state of one registry, shared by all agents of its cluster. */
export interface RegistryStore {
  /** The last known state. It may lag behind changes that others made a moment ago. */
  readonly state: RegistryState;
  /** Waits until the state has every change that was acknowledged before the call. */
  refresh(): Promise<void>;
  /**
   * Decides on the current state and commits the changes. If another writer was first, decides again. The reply is
   * returned once its changes are durable and in `state`. Errors that `decide` throws are the caller's.
   */
  write<Reply>(decide: (state: RegistryState) => Decision<Reply>): Promise<Reply>;
}
