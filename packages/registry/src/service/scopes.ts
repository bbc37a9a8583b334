import { registryLimits } from '../limits.ts';
import type { CompatibilityLevel, ConfigAnswer, RegistryMode } from '../registry-answers.ts';
import { contextScope, globalContext, normalSubject, parseSubject } from '../state/qualified-subject.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { refusals } from './refusals.ts';

export interface ScopeDefaults {
  readonly compatibility: CompatibilityLevel;
  readonly mode: RegistryMode;
}

const globalScope = contextScope(globalContext);

/** The scope that a request names: a subject, `:.ctx:`, or nothing for the default context. */
export function normalScope(scope: string | undefined): string {
  return scope === undefined ? '' : normalSubject(scope);
}

/** The scopes that apply to a scope: itself, its context, and the one that all contexts inherit. */
function scopeChain(scope: string): string[] {
  return [...new Set([scope, contextScope(parseSubject(scope).context), globalScope])];
}

/** The settings that apply to a subject. Its alias is its own; where it says nothing else, the outer scope does. */
export function configInScope(state: RegistryState, defaults: ScopeDefaults, scope: string): ConfigAnswer {
  const configs = scopeChain(scope).map((name) => state.config(name));
  const own = configs[0];
  const merged: ConfigAnswer = Object.assign({}, ...configs.toReversed(), own);
  const { alias: _, aliasForDeks: __, ...inherited } = merged;
  return {
    ...(own?.alias === undefined ? {} : { alias: own.alias }),
    ...(own?.aliasForDeks === undefined ? {} : { aliasForDeks: own.aliasForDeks }),
    ...inherited,
    compatibilityLevel: merged.compatibilityLevel ?? defaults.compatibility,
  };
}

/** Whether references of new schemas to versions that are marked as deleted are refused. */
export function validatesNew({ validateNewSchemas = true }: ConfigAnswer): boolean {
  return validateNewSchemas;
}

/** The mode that applies to a scope. `modeOf` may know of a change that is not in the state yet. */
export function modeInScope(
  state: RegistryState,
  defaults: ScopeDefaults,
  scope: string,
  modeOf: (scope: string) => RegistryMode | undefined = (name) => state.mode(name),
): RegistryMode {
  // It overrides the modes of subjects, unlike any other mode of an outer scope.
  for (const outer of ['', globalScope]) {
    if (modeOf(outer) === 'READONLY_OVERRIDE') return 'READONLY_OVERRIDE';
  }
  for (const name of scopeChain(scope)) {
    const mode = modeOf(name);
    if (mode !== undefined) return mode;
  }
  return defaults.mode;
}

export function isReadOnly(mode: RegistryMode): boolean {
  return mode === 'READONLY' || mode === 'READONLY_OVERRIDE';
}

export function isImport(mode: RegistryMode): boolean {
  return mode === 'IMPORT' || mode === 'FORWARD';
}

/** Refuses changes of a scope that is read-only. */
export function checkWritable(state: RegistryState, defaults: ScopeDefaults, scope: string): void {
  if (isReadOnly(modeInScope(state, defaults, scope))) throw refusals.readOnly(scope);
}

/** The subjects of a scope, including those that are marked as deleted. The global scope has all of them. */
export function subjectsInScope(state: RegistryState, scope: string): readonly string[] {
  const { context, subject } = parseSubject(scope);
  if (subject !== '') return state.versions(scope).length > 0 ? [scope] : [];
  if (context === globalContext) return state.subjects();
  return state.subjects().filter((name) => parseSubject(name).context === context);
}

/** Returns the one form of a subject under which schemas are registered. */
export function checkSubject(text: string): string {
  if (!isSubject(text)) throw refusals.invalidSubject(text);
  return normalSubject(text);
}

/** Whether schemas and keys can be stored under a subject. */
export function isSubject(text: string): boolean {
  const { context, subject } = parseSubject(text);
  const isReserved = subject === '__GLOBAL' || subject === '__EMPTY' || context === globalContext;
  return subject !== '' && subject !== '*' && !isReserved && isName(text);
}

/** Returns the one form of a scope that gets a config or a mode. */
export function checkScope(text: string | undefined): string {
  if (text === undefined) return '';
  const { subject } = parseSubject(text);
  if (subject === '__GLOBAL' || subject === '__EMPTY' || !isName(text)) throw refusals.invalidSubject(text);
  return normalSubject(text);
}

function isName(text: string): boolean {
  return text.length <= registryLimits.subjectCharsMax && !/\p{Cc}/u.test(text) && text.isWellFormed();
}
