import type { ReferenceResolver } from '../schema-work/resolve-references.ts';
import type { WorkSession } from '../schema-work/schema-work.ts';
import type { RegistryState } from '../state/registry-state.ts';
import type { Progress, ServingTime } from './progress.ts';
import type { ScopeDefaults } from './scopes.ts';

/** What a decision may use. It is made anew whenever the state has changed. */
export interface DecisionContext {
  readonly state: RegistryState;
  readonly work: WorkSession;
  readonly resolver: ReferenceResolver;
  readonly progress: Progress;
  readonly time: ServingTime;
  readonly defaults: ScopeDefaults;
  readonly nowMs: number;
}
