import { type Clock, nextTurn } from '@weir/core';
import { readViolations } from '../readable/violations.ts';
import type {
  CompatibilityLevel,
  ConfigAnswer,
  RegistryMode,
  SubjectVersionAnswer,
} from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { IncompatibleSchema, RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { WorkPending } from '../schema-work/schema-work.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { StateBefore } from '../state/state-before.ts';
import { versionAnswer } from './answer-parts.ts';
import { putConfig, readConfigBody } from './configs.ts';
import type { DecisionContext } from './decision-context.ts';
import { deleteSubject } from './delete.ts';
import { putMode, readModeBody } from './modes.ts';
import { register } from './register.ts';
import { readSchemaBody } from './schema-bodies.ts';
import { checkScope, checkSubject, configInScope, modeInScope, normalScope } from './scopes.ts';
import { namedSubject } from './subject-queries.ts';

/** A change as a request would ask for it. A scope is a subject, `:.ctx:`, or nothing for the default context. */
export type RehearsedChange =
  | { readonly kind: 'config'; readonly scope: string | undefined; readonly body: unknown }
  | {
      readonly kind: 'mode';
      readonly scope: string | undefined;
      readonly body: unknown;
      readonly force: boolean;
    }
  | { readonly kind: 'register'; readonly subject: string; readonly body: unknown }
  /** Marks the versions as deleted. */
  | { readonly kind: 'delete'; readonly subject: string };

/** What a change would lead to. */
export interface RehearsedOutcome {
  /** Whether it changes anything; if not, all is as it asks for. */
  readonly isChange: boolean;
  /** Why it would be refused. */
  readonly refusal: RegistryError | undefined;
  /** What the scope says itself before the change. */
  readonly ownConfig: ConfigAnswer | undefined;
  readonly ownMode: RegistryMode | undefined;
  /** What counts for the scope before the change. */
  readonly level: CompatibilityLevel;
  readonly mode: RegistryMode;
  /** The version that has the schema of a registration. */
  readonly version: number | undefined;
  /** The version that a new schema does not fit, or the last one. */
  readonly compared: SubjectVersionAnswer | undefined;
}

interface RehearsalOptions {
  readonly store: Pick<RegistryStore, 'state'>;
  readonly clock: Clock;
  readonly contextOf: (state: RegistryState) => DecisionContext;
}

/** Other requests wait that long at most, apart from what one change takes. */
const turnMs = 10;
const attemptsMax = 5;

/**
 * Decides on changes one after the other, each on the state with those before it, as a commit of several writes does.
 * The state is as before whenever other code runs.
 */
export async function rehearse(
  changes: readonly RehearsedChange[],
  options: RehearsalOptions,
): Promise<RehearsedOutcome[]> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const outcomes = await rehearseOnce(changes, options);
    if (outcomes !== undefined) return outcomes;
  }
  throw new RegistryError('timeout', 'concurrent writes conflicted too often; retry later');
}

/** Returns nothing if another writer changed the state meanwhile. */
async function rehearseOnce(
  changes: readonly RehearsedChange[],
  options: RehearsalOptions,
): Promise<RehearsedOutcome[] | undefined> {
  const { store, clock } = options;
  const { revision } = store.state;
  const outcomes: RehearsedOutcome[] = [];
  const made: RegistryChange[] = [];
  for (;;) {
    const pending = rehearseSome(changes, outcomes, made, options);
    if (outcomes.length === changes.length) return outcomes;
    await (pending ?? nextTurn(clock));
    if (store.state.revision !== revision) return undefined;
  }
}

/** Decides on as many changes as fit into a turn. Returns the work that the next one needs first, if it needs any. */
function rehearseSome(
  changes: readonly RehearsedChange[],
  outcomes: RehearsedOutcome[],
  made: RegistryChange[],
  { store: { state }, clock, contextOf }: RehearsalOptions,
): Promise<void> | undefined {
  const before = new StateBefore(state);
  const endMs = clock.monotonicMs() + turnMs;
  try {
    before.apply(made);
    while (outcomes.length < changes.length) {
      const decided = decide(contextOf(state), changes[outcomes.length]!);
      before.apply(decided.changes);
      made.push(...decided.changes);
      outcomes.push(decided.outcome);
      if (clock.monotonicMs() >= endMs) break;
    }
    return undefined;
  } catch (error) {
    if (error instanceof WorkPending) return error.done;
    throw error;
  } finally {
    before.restore();
  }
}

interface Decided {
  readonly changes: readonly RegistryChange[];
  readonly outcome: RehearsedOutcome;
}

function decide(context: DecisionContext, change: RehearsedChange): Decided {
  const { state, defaults } = context;
  const scope = scopeOf(state, change);
  const facts = {
    ownConfig: state.config(scope),
    ownMode: state.mode(scope),
    level: configInScope(state, defaults, scope).compatibilityLevel ?? defaults.compatibility,
    mode: modeInScope(state, defaults, scope),
  };
  const latest = change.kind === 'register' ? state.latest(scope) : undefined;
  try {
    const { changes, version } = changesOf(context, scope, change);
    const compared = latest === undefined ? undefined : versionAnswer(state, latest);
    const isChange = changes.some(({ key, value }) => !isEqual(state.valueOf(key), value));
    return { changes, outcome: { ...facts, isChange, refusal: undefined, version, compared } };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const unfit = error instanceof IncompatibleSchema ? unfitVersion(state, scope, error) : latest;
    const compared = unfit === undefined ? undefined : versionAnswer(state, unfit);
    const outcome = { ...facts, isChange: false, refusal: error, version: undefined, compared };
    return { changes: [], outcome };
  }
}

/** The scope that a change is about. One with an invalid name is refused when the change is decided. */
function scopeOf(state: RegistryState, change: RehearsedChange): string {
  return change.kind === 'register' || change.kind === 'delete'
    ? namedSubject(state, change.subject)
    : normalScope(change.scope);
}

function changesOf(
  context: DecisionContext,
  scope: string,
  change: RehearsedChange,
): { readonly changes: readonly RegistryChange[]; readonly version?: number } {
  switch (change.kind) {
    case 'config':
      return putConfig(context, checkScope(change.scope), readConfigBody(change.body));
    case 'mode': {
      const named = checkScope(change.scope);
      return { changes: putMode(context, named, readModeBody(change.body, named), change.force) };
    }
    case 'register': {
      const options = { normalize: false, force: false };
      const made = register(context, checkSubject(scope), readSchemaBody(change.body), options);
      return { changes: made.changes, version: made.version.version };
    }
    case 'delete':
      return { changes: deleteSubject(context, scope, false).changes };
  }
}

/** The version that the differences are about. */
function unfitVersion(state: RegistryState, subject: string, { details }: IncompatibleSchema) {
  const { oldVersion } = readViolations(details);
  return oldVersion === undefined ? state.latest(subject) : state.version(subject, oldVersion);
}

/** Settings without any value are as none at all. */
function isEqual(before: Uint8Array | null, after: Uint8Array | null): boolean {
  const textOf = (value: Uint8Array | null) => (value === null ? '{}' : Buffer.from(value).toString());
  return textOf(before) === textOf(after);
}
