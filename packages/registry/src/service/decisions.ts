import type { Clock } from '@weir/core';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { ReferenceResolver } from '../schema-work/resolve-references.ts';
import { ownCaller, type WorkCaller } from '../schema-work/schema-pool.ts';
import { type SchemaWork, WorkPending } from '../schema-work/schema-work.ts';
import type { RegistryState } from '../state/registry-state.ts';
import type { DecisionContext } from './decision-context.ts';
import { Progress, ServingTime } from './progress.ts';
import type { ScopeDefaults } from './scopes.ts';
import { readFresh, writeFresh } from './store-access.ts';

interface DecisionsOptions {
  readonly store: RegistryStore;
  readonly work: SchemaWork;
  readonly clock: Clock;
  readonly defaults: ScopeDefaults;
}

/** Runs what decides on an answer. It begins anew after each piece of work that it had to wait for. */
export class Decisions {
  readonly #options: DecisionsOptions;
  readonly #caller: WorkCaller;
  /** The time of the serving thread, which all callers share. */
  readonly time: ServingTime;

  constructor(
    options: DecisionsOptions,
    caller: WorkCaller = ownCaller,
    time: ServingTime = new ServingTime(options.clock),
  ) {
    this.#options = options;
    this.#caller = caller;
    this.time = time;
  }

  /** Decisions for one caller, which share the threads and the serving thread with those of others. */
  forCaller(caller: WorkCaller): Decisions {
    return new Decisions(this.#options, caller, this.time);
  }

  /** Answers from the state at hand, after the work that the answer needs. */
  read<Reply>(answer: (context: DecisionContext) => Reply | Promise<Reply>): Promise<Reply> {
    const contextOf = this.attempts();
    return readFresh(this.#options.store, async (state) => {
      for (;;) {
        try {
          return await answer(contextOf(state));
        } catch (error) {
          if (!(error instanceof WorkPending)) throw error;
          await error.done;
        }
      }
    });
  }

  /** Commits what a decision changes. */
  write<Reply>(
    decide: (context: DecisionContext) => {
      readonly changes: readonly RegistryChange[];
      readonly reply: Reply;
    },
  ): Promise<Reply> {
    const contextOf = this.attempts();
    return writeFresh(this.#options.store, (state) => {
      try {
        return decide(contextOf(state));
      } catch (error) {
        if (error instanceof WorkPending) return { after: error.done };
        throw error;
      }
    });
  }

  /** What each attempt at one decision uses. An attempt for a caller who has gone is refused. */
  attempts(): (state: RegistryState) => DecisionContext {
    const { clock, defaults, work } = this.#options;
    const session = work.session(this.#caller);
    const progress = new Progress(this.time);
    return (state) => {
      if (this.#caller.signal?.aborted === true)
        throw new RegistryError('timeout', 'The request was cancelled before it completed.');
      progress.begin();
      return {
        state,
        work: session,
        resolver: new ReferenceResolver(state),
        progress,
        time: this.time,
        defaults,
        nowMs: clock.nowMs(),
      };
    };
  }
}
