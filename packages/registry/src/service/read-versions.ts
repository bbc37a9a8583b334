import type { SubjectVersionAnswer } from '../registry-answers.ts';
import type { RegistryError } from '../registry-error.ts';
import type { RegistryState, SubjectVersion } from '../state/registry-state.ts';
import { page, qualifiedReferences, tagsAnswer, textInFormat, versionAnswer } from './answer-parts.ts';
import { rowKey } from './candidate-schema.ts';
import type { DecisionContext } from './decision-context.ts';
import { findVersion } from './look-up.ts';
import { refusals } from './refusals.ts';
import type {
  GuardedQuery,
  ListVersionsQuery,
  LookUpQuery,
  ReferencedByQuery,
  VersionQuery,
  WithMetadataQuery,
} from './registry-queries.ts';
import type { SchemaBody } from './schema-bodies.ts';
import { configInScope } from './scopes.ts';
import {
  candidates,
  firstFound,
  hasVersions,
  missingVersion,
  namedSubject,
  ownValue,
  parseVersion,
} from './subject-queries.ts';

export function listVersions(
  { state }: DecisionContext,
  subject: string,
  query: ListVersionsQuery,
): number[] {
  const named = namedSubject(state, subject);
  const isDeletedShown = query.deleted === true || query.deletedOnly === true;
  if (!hasVersions(state, named, isDeletedShown)) throw refusals.subjectNotFound(named);
  const versions = state.versions(named).filter(({ isDeleted }) => {
    if (query.deletedAsNegative === true) return true;
    return query.deletedOnly === true ? isDeleted : !isDeleted || query.deleted === true;
  });
  return page(versions, query).map(({ version, isDeleted }) =>
    query.deletedAsNegative === true && isDeleted ? -version : version,
  );
}

export function readVersion(
  context: DecisionContext,
  subject: string,
  version: string,
  query: VersionQuery,
): SubjectVersionAnswer {
  const { state } = context;
  const found = namedVersion(state, subject, version, query.deleted === true, query);
  const row = state.rowOfVersion(found);
  const answer = versionAnswer(state, found);
  return {
    ...answer,
    ...textInFormat(context, row, query.format),
    ...qualifiedReferences(row.context, answer, query.referenceFormat),
    ...tagsAnswer(context, row, query.findTags),
  };
}

export function referencedBy(
  { state }: DecisionContext,
  subject: string,
  version: string,
  query: ReferencedByQuery,
): number[] {
  const found = namedVersion(state, subject, version, true, query);
  const ids = state
    .referrers(found.subject, found.version)
    .filter(({ uses }) => query.deleted === true || uses.some(({ isDeleted }) => !isDeleted))
    .map(({ id }) => id);
  return page(
    ids.sort((a, b) => a - b),
    query,
  );
}

export function lookUpSchema(
  context: DecisionContext,
  subject: string,
  sought: SchemaBody,
  query: LookUpQuery,
): SubjectVersionAnswer {
  const { state, defaults } = context;
  const named = namedSubject(state, subject);
  const isDeletedFound = query.deleted === true;
  const normalize = query.normalize === true || configInScope(state, defaults, named).normalize === true;
  const { text } = sought;
  const found =
    text === undefined
      ? undefined
      : firstFound(candidates(state, named, query.isAllowed), (name) =>
          findVersion(context, name, { ...sought, text }, { normalize, isDeletedFound }),
        );
  if (found === undefined) throw missingSchema(state, named, isDeletedFound);
  return shown(context, found, query.format);
}

export function latestWithMetadata(
  context: DecisionContext,
  subject: string,
  query: WithMetadataQuery,
): SubjectVersionAnswer {
  const { state, progress } = context;
  const named = namedSubject(state, subject);
  const wanted = query.keys
    .slice(0, query.values.length)
    .map((key, index) => [key, query.values[index]] as const);
  const question = JSON.stringify(wanted);
  const found = state.versions(named).findLast((version) => {
    if (version.isDeleted && query.deleted !== true) return false;
    const row = state.rowOfVersion(version);
    const step = `metadata ${rowKey(row)} ${question}`;
    if (progress.isDone(step)) return false;
    const properties = state.schema(row).metadata?.properties;
    const isMatch =
      properties !== undefined && wanted.every(([key, value]) => ownValue(properties, key) === value);
    if (!isMatch) progress.endStep(step);
    return isMatch;
  });
  if (found === undefined) throw missingSchema(state, named, query.deleted === true);
  return shown(context, found, query.format);
}

/** The version that a path names, of the subject or of one with the same name in another context. */
export function namedVersion(
  state: RegistryState,
  subject: string,
  version: string,
  isDeletedFound: boolean,
  { isAllowed }: GuardedQuery,
): SubjectVersion {
  const named = namedSubject(state, subject);
  const wanted = parseVersion(version);
  const found = firstFound(candidates(state, named, isAllowed), (name) => {
    const candidate = wanted === 'latest' ? state.latest(name) : state.version(name, wanted);
    return candidate?.isDeleted === true && !isDeletedFound ? undefined : candidate;
  });
  if (found === undefined) throw missingVersion(state, named, wanted, isDeletedFound);
  return found;
}

function shown(
  context: DecisionContext,
  version: SubjectVersion,
  format: string | undefined,
): SubjectVersionAnswer {
  const { state } = context;
  return {
    ...versionAnswer(state, version),
    ...textInFormat(context, state.rowOfVersion(version), format),
  };
}

function missingSchema(state: RegistryState, subject: string, isDeletedFound: boolean): RegistryError {
  return hasVersions(state, subject, isDeletedFound)
    ? refusals.schemaNotFound()
    : refusals.subjectNotFound(subject);
}
