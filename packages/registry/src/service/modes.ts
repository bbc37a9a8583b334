import { registryLimits } from '../limits.ts';
import { type ModeAnswer, type RegistryMode, registryModes } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import { contextScope, globalContext, parseSubject } from '../state/qualified-subject.ts';
import { entryKeys, put, remove } from '../state/registry-entries.ts';
import { BodyReader } from './body-reader.ts';
import { isTopLevel } from './configs.ts';
import type { DecisionContext } from './decision-context.ts';
import { removeVersions } from './delete.ts';
import { refusals } from './refusals.ts';
import { modeInScope, subjectsInScope } from './scopes.ts';

/** The mode of a body; null unsets it. */
export function readModeBody(body: unknown, scope: string): RegistryMode | undefined {
  const reader: BodyReader = new BodyReader('invalidMode');
  const name = reader.text(reader.object(body), 'mode')?.toUpperCase();
  if (name === undefined) return undefined;
  const mode = registryModes.find((known) => known === name);
  if (mode === undefined)
    reader.refuse(
      'Invalid mode. Valid values are READWRITE, READONLY, READONLY_OVERRIDE, IMPORT and FORWARD.',
    );
  if (mode === 'FORWARD' && scope !== contextScope(globalContext) && scope !== '')
    reader.refuse('Forward mode only supported on global level');
  return mode;
}

/** Decides on a change of a scope's mode. Before an import, the scope has to be empty. */
export function putMode(
  context: DecisionContext,
  scope: string,
  mode: RegistryMode | undefined,
  force: boolean,
): readonly RegistryChange[] {
  const { state, defaults } = context;
  const key = entryKeys.mode(scope);
  if (mode === undefined) return state.mode(scope) === undefined ? [] : [remove(key)];
  const isNewImport = mode === 'IMPORT' && modeInScope(state, defaults, scope) !== 'IMPORT' && !force;
  const cleared = isNewImport ? clearScope(context, scope) : [];
  return [...cleared, put('mode', key, { mode })];
}

/** Removes what is marked as deleted. */
function clearScope({ state }: DecisionContext, scope: string): readonly RegistryChange[] {
  const subjects = subjectsInScope(state, scope);
  if (subjects.some((subject) => state.latest(subject) !== undefined))
    throw new RegistryError('operationNotPermitted', 'Cannot import since found existing subjects');
  const versions = subjects.flatMap((subject) => state.versions(subject));
  const { clearedVersionsMax } = registryLimits;
  if (versions.length > clearedVersionsMax)
    throw new RegistryError(
      'operationNotPermitted',
      `More than ${clearedVersionsMax} deleted versions would be removed; delete their subjects permanently first.`,
    );
  for (const { subject, version } of versions) {
    if (state.referrers(subject, version).length > 0) throw refusals.referenceExists(subject, version);
  }
  return removeVersions(state, versions);
}

export function getMode(
  { state, defaults }: DecisionContext,
  scope: string,
  isInherited: boolean,
): ModeAnswer {
  if (isInherited) return { mode: modeInScope(state, defaults, scope) };
  const own = state.mode(scope);
  if (own !== undefined) return { mode: own };
  if (!isTopLevel(scope)) throw refusals.noMode(scope);
  return { mode: defaults.mode };
}

/** Decides on the deletion of a scope's mode, with those of a context's subjects if it is recursive. */
export function deleteMode(
  { state, defaults }: DecisionContext,
  scope: string,
  isRecursive: boolean,
): { readonly changes: readonly RegistryChange[]; readonly reply: Partial<ModeAnswer> } {
  const own = state.mode(scope) ?? (isTopLevel(scope) ? defaults.mode : undefined);
  if (own === undefined && !isRecursive) throw refusals.subjectNotFound(scope);
  const { context, subject } = parseSubject(scope);
  const scopes = [...state.modeScopes()].filter(
    (name) => name === scope || (isRecursive && subject === '' && parseSubject(name).context === context),
  );
  return {
    changes: scopes.map((name) => remove(entryKeys.mode(name))),
    reply: own === undefined ? {} : { mode: own },
  };
}
