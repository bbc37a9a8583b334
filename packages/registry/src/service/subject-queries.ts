import { RegistryError } from '../registry-error.ts';
import {
  contextScope,
  defaultContext,
  normalSubject,
  parseSubject,
  referencedSubject,
} from '../state/qualified-subject.ts';
import type { RegistryState, SubjectVersion } from '../state/registry-state.ts';
import { refusals } from './refusals.ts';
import type { GuardedQuery } from './registry-queries.ts';

/** The prefix that asks for subjects of all contexts. */
export const wildcard = ':*:';
const versionMax = 2 ** 31 - 1;

/** The version that a path names: a number, or `latest`. */
export function parseVersion(text: string): number | 'latest' {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'latest' || trimmed === '-1') return 'latest';
  const version = /^\+?\d{1,10}$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (!(version >= 1 && version <= versionMax)) throw refusals.invalidVersion(text);
  return version;
}

/** The one form of a subject, or the one that it is an alias of. */
export function namedSubject(state: RegistryState, subject: string): string {
  const named = normalSubject(subject);
  const alias = state.config(named)?.alias;
  return alias === undefined || alias === '' ? named : referencedSubject(parseSubject(named).context, alias);
}

/** The subject that a change is about. The right on an alias is none on the subject that it stands for. */
export function changedSubject(state: RegistryState, subject: string, { isAllowed }: GuardedQuery): string {
  const named = namedSubject(state, subject);
  if (named !== normalSubject(subject) && isAllowed?.(named) === false)
    throw new RegistryError(
      'denied',
      `Subject '${subject}' is an alias of a subject on which you do not have the right to do that.`,
    );
  return named;
}

export function missingVersion(
  state: RegistryState,
  subject: string,
  wanted: number | 'latest',
  isDeletedFound: boolean,
): RegistryError {
  if (!hasVersions(state, subject, isDeletedFound)) return refusals.subjectNotFound(subject);
  return refusals.versionNotFound(wanted === 'latest' ? -1 : wanted);
}

export function hasVersions(state: RegistryState, subject: string, isDeletedCounted: boolean): boolean {
  return isDeletedCounted ? state.versions(subject).length > 0 : state.latest(subject) !== undefined;
}

/** The versions with which a check compares: the one that a path names, or all live ones. */
export function versionsToCompare(
  live: readonly SubjectVersion[],
  wanted: number | 'latest' | undefined,
): readonly SubjectVersion[] {
  if (wanted === undefined) return live;
  if (wanted === 'latest') return live.slice(-1);
  const found = live.find(({ version }) => version === wanted);
  if (found === undefined) throw refusals.versionNotFound(wanted);
  return [found];
}

/** Whether a subject is one that a prefix asks for: `:.ctx:a` in a context, `:*:a` in all, `a` in the default one. */
export function isPrefixOf(prefix: string, subject: string): boolean {
  const named = parseSubject(subject);
  if (prefix.startsWith(wildcard)) return named.subject.startsWith(prefix.slice(wildcard.length));
  const wanted = parseSubject(prefix);
  return named.context === wanted.context && named.subject.startsWith(wanted.subject);
}

/** Aliases by the subject that they stand for. */
export function aliasesBySubject(state: RegistryState): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  for (const [scope, { alias }] of state.configs()) {
    if (alias === undefined || alias === '') continue;
    const subject = referencedSubject(parseSubject(scope).context, alias);
    const known = aliases.get(subject);
    if (known === undefined) aliases.set(subject, [scope]);
    else known.push(scope);
  }
  return aliases;
}

/** Whether the schema of a version has a rule of a type. */
export function hasRule(state: RegistryState, version: SubjectVersion, type: string): boolean {
  const { ruleSet } = state.schema(state.rowOfVersion(version));
  return [ruleSet?.migrationRules, ruleSet?.domainRules, ruleSet?.encodingRules].some((rules) =>
    rules?.some((rule) => rule.type === type),
  );
}

/**
 * The subjects that a subject without a context may mean: its own, then those of the same name in other contexts.
 */
export function* candidates(
  state: RegistryState,
  subject: string,
  isAllowed: GuardedQuery['isAllowed'],
): Generator<string, undefined> {
  yield subject;
  if (parseSubject(subject).context !== defaultContext) return;
  for (const context of state.contexts()) {
    const other = `${contextScope(context)}${subject}`;
    // Work on a schema is only worth it where there is something to find.
    if (other !== subject && state.versions(other).length > 0 && isAllowed?.(other) !== false) yield other;
  }
}

export function firstFound<Element, Found>(
  elements: Iterable<Element>,
  find: (element: Element) => Found | undefined,
): Found | undefined {
  for (const element of elements) {
    const found = find(element);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The version that a schema is shown with: a live one if there is one, the newest of them. */
export function newest(uses: readonly SubjectVersion[]): SubjectVersion | undefined {
  return [...uses].sort((a, b) => Number(a.isDeleted) - Number(b.isDeleted) || b.version - a.version)[0];
}

export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
