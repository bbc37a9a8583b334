import { registryLimits } from '../limits.ts';
import type { RegistryChange } from '../registry-change.ts';
import type { Decision } from '../registry-store.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { StateBefore } from '../state/state-before.ts';

/** A write that waits for its decision. */
export interface WriteJob {
  readonly decide: (state: RegistryState) => Decision<unknown>;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** By the monotonic clock. */
  readonly deadlineMs: number;
}

/** What a job gets once the state on which it was decided proves to be the current one. */
interface Settlement {
  readonly job: WriteJob;
  readonly settle: () => void;
}

interface DecidedTogether {
  /** How many jobs were decided. */
  readonly taken: number;
  /** To be committed together. */
  readonly changes: readonly RegistryChange[];
  readonly settlements: readonly Settlement[];
  /** Jobs that need work first. */
  readonly postponed: readonly { readonly job: WriteJob; readonly after: Promise<void> }[];
}

/**
 * Decides as many jobs as one commit may have, each on the state with the changes of those before it. The state is as
 * before when the function returns.
 */
export function decideTogether(
  state: RegistryState,
  jobs: readonly WriteJob[],
  jobsMax: number = registryLimits.registryWritesPerCommit,
): DecidedTogether {
  const changes: RegistryChange[] = [];
  const settlements: Settlement[] = [];
  const postponed: { job: WriteJob; after: Promise<void> }[] = [];
  const before = new StateBefore(state);
  let changeBytes = 0;
  let taken = 0;
  try {
    for (const job of jobs) {
      if (taken >= jobsMax || changeBytes >= registryLimits.registryCommitBytes) break;
      if (changes.length >= registryLimits.registryCommitChanges) break;
      taken++;
      try {
        const decision = job.decide(state);
        if ('after' in decision) {
          postponed.push({ job, after: decision.after });
          continue;
        }
        const { reply } = decision;
        settlements.push({ job, settle: () => job.resolve(reply) });
        changes.push(...decision.changes);
        for (const { key, value } of decision.changes) changeBytes += key.length + (value?.length ?? 0);
        if (taken < jobs.length) before.apply(decision.changes);
      } catch (error) {
        settlements.push({ job, settle: () => job.reject(error) });
      }
    }
  } finally {
    before.restore();
  }
  return { taken, changes, settlements, postponed };
}
