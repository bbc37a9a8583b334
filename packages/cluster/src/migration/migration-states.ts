/**
 * The states of a topic that a migration copies from another cluster.
 *
 * `REPLICATING`: the migration writes it, clients only read. `PROXY`: agents pass what clients write on to the source.
 * `BLOCKED`: no writes while the copy catches up with the source. `MIGRATED`: clients write here, for good.
 */
export const migrationStates = ['REPLICATING', 'PROXY', 'BLOCKED', 'MIGRATED'] as const;
export type MigrationState = (typeof migrationStates)[number];

/** What a transition needs beside its expected predecessor. */
interface TransitionRule {
  /**
   * Whether the new state ends by itself: `must`, `may` and `never` have a deadline. A deadline of `PROXY` is that of a
   * cut-over that was asked for and has not begun.
   */
  readonly deadline: 'must' | 'may' | 'never';
  /** Only with `isIrreversible`: hands a topic over without the proxy phase. */
  readonly isHandOver?: true;
  /** All agents must have confirmed the state that ends, so that none passes anything on to the source any more. */
  readonly needsConfirmation?: true;
  /** No partition may have an open transaction, unless these are aborted. */
  readonly endsTransactions?: true;
}

type Transitions = Readonly<Partial<Record<MigrationState, TransitionRule>>>;

/** All transitions. `PROXY` to `PROXY` asks for a cut-over, with a deadline, or takes that back, without one. */
export const migrationTransitions: Readonly<Record<MigrationState, Transitions>> = {
  REPLICATING: {
    PROXY: { deadline: 'may' },
    MIGRATED: { deadline: 'never', isHandOver: true, endsTransactions: true },
  },
  PROXY: {
    PROXY: { deadline: 'may' },
    REPLICATING: { deadline: 'never' },
    BLOCKED: { deadline: 'must' },
    MIGRATED: { deadline: 'never', isHandOver: true, endsTransactions: true },
  },
  BLOCKED: {
    PROXY: { deadline: 'may' },
    MIGRATED: { deadline: 'never', needsConfirmation: true, endsTransactions: true },
  },
  MIGRATED: {},
};

/** Where a state goes when its deadline is over. */
export const stateAfterDeadline: Readonly<Partial<Record<MigrationState, MigrationState>>> = {
  PROXY: 'PROXY',
  BLOCKED: 'PROXY',
};
