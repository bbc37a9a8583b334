import type { RegistryChange } from '../registry-change.ts';
import { parseSubject } from '../state/qualified-subject.ts';
import { entryKeys, put, remove } from '../state/registry-entries.ts';
import type { RegistryState, SubjectVersion } from '../state/registry-state.ts';
import type { DecisionContext } from './decision-context.ts';
import { refusals } from './refusals.ts';
import { checkWritable } from './scopes.ts';
import { missingVersion } from './subject-queries.ts';

interface Deletion<Reply> {
  readonly changes: readonly RegistryChange[];
  readonly reply: Reply;
}

/** Deletes a subject: first it is marked, then its versions, its config and its mode are removed. */
export function deleteSubject(
  { state, defaults }: DecisionContext,
  subject: string,
  isPermanent: boolean,
): Deletion<number[]> {
  const versions = state.versions(subject);
  const live = versions.filter(({ isDeleted }) => !isDeleted);
  if (versions.length === 0) throw refusals.subjectNotFound(subject);
  if (!isPermanent && live.length === 0) throw refusals.subjectSoftDeleted(subject);
  checkWritable(state, defaults, subject);
  if (isAssociated(state, subject)) throw refusals.associationForSubjectExists(subject);
  const deleted = isPermanent ? versions : live;
  for (const { version } of deleted) {
    if (referringSubjects(state, subject, version, isPermanent).some((name) => name !== subject))
      throw refusals.referenceExists(subject, version);
  }
  if (isPermanent && live.length > 0) throw refusals.subjectNotSoftDeleted(subject);
  const reply = deleted.map(({ version }) => version);
  if (!isPermanent) return { changes: deleted.map(markDeleted), reply };
  return { changes: [...removeVersions(state, deleted), ...removeSettings(state, subject)], reply };
}

/** Deletes a version: first it is marked, then removed; with the last one, the subject's config and mode too. */
export function deleteVersion(
  { state, defaults }: DecisionContext,
  subject: string,
  wanted: number | 'latest',
  isPermanent: boolean,
): Deletion<number> {
  const version = wanted === 'latest' ? state.latest(subject) : state.version(subject, wanted);
  if (version === undefined) throw missingVersion(state, subject, wanted, true);
  if (!isPermanent && version.isDeleted) throw refusals.versionSoftDeleted(subject, version.version);
  checkWritable(state, defaults, subject);
  if (isAssociated(state, subject)) {
    if (isPermanent) throw refusals.associationForSubjectExists(subject);
    const isLastLive = state.versions(subject).every((other) => other === version || other.isDeleted);
    if (isLastLive) throw refusals.noActiveVersion(subject);
  }
  if (referringSubjects(state, subject, version.version, isPermanent).length > 0)
    throw refusals.referenceExists(subject, version.version);
  if (!isPermanent) return { changes: [markDeleted(version)], reply: version.version };
  if (!version.isDeleted) throw refusals.versionNotSoftDeleted(subject, version.version);
  const isLast = state.versions(subject).length === 1;
  return {
    changes: [...removeVersions(state, [version]), ...(isLast ? removeSettings(state, subject) : [])],
    reply: version.version,
  };
}

function isAssociated(state: RegistryState, subject: string): boolean {
  for (const association of state.associations().values()) if (association.subject === subject) return true;
  return false;
}

/** Removes versions, and the schemas that no other version uses. Ids are never given out again. */
export function removeVersions(state: RegistryState, versions: readonly SubjectVersion[]): RegistryChange[] {
  const removed = new Set(versions);
  const changes: RegistryChange[] = [];
  const orphans = new Set<string>();
  for (const version of versions) {
    const { context } = parseSubject(version.subject);
    changes.push(remove(entryKeys.version(version.subject, version.version)));
    const row = state.row(context, version.id);
    if (row?.uses.every((use) => removed.has(use))) orphans.add(entryKeys.schema(context, version.id));
  }
  return [...changes, ...[...orphans].map(remove)];
}

/** Subjects with a version that refers to a version. Permanent deletions also look at those that are marked. */
function referringSubjects(
  state: RegistryState,
  subject: string,
  version: number,
  isDeletedCounted: boolean,
): string[] {
  const uses = state.referrers(subject, version).flatMap((row) => row.uses);
  return [
    ...new Set(uses.filter(({ isDeleted }) => isDeletedCounted || !isDeleted).map((use) => use.subject)),
  ];
}

function markDeleted({ subject, version, id, timestampMs }: SubjectVersion): RegistryChange {
  return put('version', entryKeys.version(subject, version), { id, ts: timestampMs, deleted: true });
}

function removeSettings(state: RegistryState, subject: string): RegistryChange[] {
  return [
    ...(state.config(subject) === undefined ? [] : [remove(entryKeys.config(subject))]),
    ...(state.mode(subject) === undefined ? [] : [remove(entryKeys.mode(subject))]),
  ];
}
