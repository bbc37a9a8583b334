import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { Decision, RegistryStore } from '../registry-store.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { isNotFound } from './refusals.ts';

/** Answers from the state at hand. What is not found may have been made elsewhere a moment ago. */
export async function readFresh<Reply>(
  store: RegistryStore,
  answer: (state: RegistryState) => Reply | Promise<Reply>,
): Promise<Reply> {
  const { revision } = store.state;
  try {
    return await answer(store.state);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await store.refresh();
    if (store.state.revision === revision) throw error;
    return answer(store.state);
  }
}

/** Commits what a decision changes. A refusal is decided on the newest state. */
export async function writeFresh<Reply>(
  store: RegistryStore,
  decide: (
    state: RegistryState,
  ) => Decision<Reply> | { readonly changes: readonly RegistryChange[]; readonly reply: Reply },
): Promise<Reply> {
  const { revision } = store.state;
  try {
    return await store.write(decide);
  } catch (error) {
    // A write that failed may have been made. Deciding it again would refuse, say, a deletion as made before.
    if (!(error instanceof RegistryError) || error.isRetriable) throw error;
    await store.refresh();
    if (store.state.revision === revision) throw error;
    return store.write(decide);
  }
}
