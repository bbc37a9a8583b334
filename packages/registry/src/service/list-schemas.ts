import { registryLimits } from '../limits.ts';
import type { SubjectVersionAnswer } from '../registry-answers.ts';
import { parseSubject } from '../state/qualified-subject.ts';
import type { RegistryState, SubjectVersion } from '../state/registry-state.ts';
import { page, versionAnswer } from './answer-parts.ts';
import type { DecisionContext } from './decision-context.ts';
import { filterInTurns, type ServingTime } from './progress.ts';
import type { ListSchemasQuery, ListSubjectsQuery } from './registry-queries.ts';
import { aliasesBySubject, hasRule, isPrefixOf, wildcard } from './subject-queries.ts';

/** Each answer is made when it is taken: together they may be larger than memory. */
export async function listSchemas(
  { state, time }: DecisionContext,
  query: ListSchemasQuery,
): Promise<Iterable<SubjectVersionAnswer>> {
  const { subjectPrefix = '', isAllowed = () => true, ruleType = '' } = query;
  const aliases = query.aliases === true ? aliasesBySubject(state) : new Map<string, string[]>();
  const subjects = new Set(await subjectsWithPrefix(state, subjectPrefix, isAllowed, time));
  for (const [subject, names] of aliases) {
    if (isAllowed(subject) && names.some((name) => isPrefixOf(subjectPrefix, name))) subjects.add(subject);
  }
  const isListed = (version: SubjectVersion) =>
    (query.deleted === true || !version.isDeleted) &&
    (ruleType === '' || (isThere(state, version) && hasRule(state, version, ruleType)));
  const versions = query.latestOnly === true ? latestOf(state, subjects, query) : versionsOf(state, subjects);
  const { listedSchemasMax } = registryLimits;
  const limit = query.limit !== undefined && query.limit > 0 ? query.limit : listedSchemasMax;
  const listed = page(await filterInTurns(versions, isListed, time), {
    offset: query.offset,
    limit: Math.min(limit, listedSchemasMax),
  });
  return (function* () {
    for (const version of listed) {
      if (!isThere(state, version)) continue;
      const names = aliases.get(version.subject)?.filter(isAllowed) ?? [];
      yield { ...versionAnswer(state, version), ...(names.length === 0 ? {} : { aliases: names }) };
    }
  })();
}

export async function listSubjects(
  { state, time }: DecisionContext,
  query: ListSubjectsQuery,
): Promise<string[]> {
  const isListed = (subject: string) => {
    if (query.isAllowed?.(subject) === false) return false;
    const isLive = state.latest(subject) !== undefined;
    return query.deletedOnly === true ? !isLive : isLive || query.deleted === true;
  };
  return page(await subjectsWithPrefix(state, query.subjectPrefix ?? wildcard, isListed, time), query);
}

function subjectsWithPrefix(
  state: RegistryState,
  prefix: string,
  isListed: (subject: string) => boolean,
  time: ServingTime,
): Promise<string[]> {
  const isWanted =
    prefix === wildcard ? isListed : (subject: string) => isPrefixOf(prefix, subject) && isListed(subject);
  return filterInTurns(state.subjects(), isWanted, time);
}

function* versionsOf(
  state: RegistryState,
  subjects: ReadonlySet<string>,
): Generator<SubjectVersion, undefined> {
  for (const subject of [...subjects].sort()) yield* state.versions(subject).slice();
}

function* latestOf(
  state: RegistryState,
  subjects: ReadonlySet<string>,
  { deleted }: ListSchemasQuery,
): Generator<SubjectVersion, undefined> {
  for (const subject of [...subjects].sort()) {
    const latest = deleted === true ? state.versions(subject).at(-1) : state.latest(subject);
    if (latest !== undefined) yield latest;
  }
}

/** Another request may remove a version while a list is made. */
function isThere(state: RegistryState, { subject, id }: SubjectVersion): boolean {
  return state.row(parseSubject(subject).context, id) !== undefined;
}
