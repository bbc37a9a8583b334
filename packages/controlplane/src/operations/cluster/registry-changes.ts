import type { InputOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  IncompatibleSchema,
  type RegistryService,
  type RehearsedChange,
  type RehearsedOutcome,
  readViolations,
} from '@weir/registry';
import { bodyOf, diffOf, givenFields, isModeBeforeConfig, shortViolations } from './schema-fields.ts';

type Change = InputOf<'check_registry_changes'>['changes'][number];
type Outcome = OutputOf<'check_registry_changes'>['outcomes'][number];

/** What changes of a registry would lead to. */
export async function checkChanges(
  registry: RegistryService,
  changes: readonly Change[],
): Promise<OutputOf<'check_registry_changes'>> {
  const parts = changes.map(partsOf);
  const rehearsed = await registry.rehearse(parts.flat());
  let next = 0;
  let charsLeft: number = apiLimits.checkedRegistryTextCharsMax;
  const outcomes: Outcome[] = [];
  for (const [index, change] of changes.entries()) {
    const first = next;
    next += parts[index]!.length;
    const { outcome, compared } = outcomeOf(rehearsed.slice(first, next));
    // What a diff and messages cost is bounded for all changes together.
    charsLeft -= (compared?.schema.length ?? 0) + (change.schema?.length ?? 0);
    for (const { path, message } of outcome.violations) charsLeft -= path.length + message.length;
    if (charsLeft < 0) outcomes.push({ ...outcome, violations: outcome.violations.slice(0, 1) });
    else if (compared === undefined || change.schema === undefined) outcomes.push(outcome);
    else {
      const diff = await diffOf(registry, compared, change.schema_type, change.schema);
      outcomes.push({ ...outcome, diff });
    }
  }
  return { outcomes };
}

/** The changes of the registry that one change asks for, in their order. */
function partsOf(change: Change): RehearsedChange[] {
  const { subject: scope, compatibility_level: compatibility, mode, normalize, schema } = change;
  const config = givenFields({ compatibility, normalize });
  const configs: RehearsedChange[] = config === undefined ? [] : [{ kind: 'config', scope, body: config }];
  const modes: RehearsedChange[] =
    mode === undefined ? [] : [{ kind: 'mode', scope, body: { mode }, force: false }];
  const settings = isModeBeforeConfig(change) ? [...modes, ...configs] : [...configs, ...modes];
  return [
    ...settings,
    ...(schema === undefined
      ? []
      : [{ kind: 'register', subject: scope!, body: bodyOf({ ...change, schema }) } as const]),
    ...(change.delete ? [{ kind: 'delete', subject: scope! } as const] : []),
  ];
}

function outcomeOf(parts: readonly RehearsedOutcome[]) {
  const first = parts[0]!;
  const refused = parts.find(({ refusal }) => refusal !== undefined);
  const registered = parts.find(({ version }) => version !== undefined);
  const checked = refused ?? registered ?? parts.at(-1)!;
  const { compared } = checked;
  const details = refused?.refusal instanceof IncompatibleSchema ? refused.refusal.details : [];
  const outcome: Outcome = {
    is_change: parts.some(({ isChange }) => isChange),
    problem: refused?.refusal?.message.slice(0, apiLimits.schemaMessageCharsMax) ?? null,
    own_compatibility_level: first.ownConfig?.compatibilityLevel ?? null,
    own_mode: first.ownMode ?? null,
    own_normalize: first.ownConfig?.normalize ?? false,
    compatibility_level: checked.level,
    mode: first.mode,
    version: registered?.version ?? null,
    compared_version: compared?.version ?? null,
    violations: shortViolations(readViolations(details).violations),
    diff: '',
  };
  return { outcome, compared };
}
