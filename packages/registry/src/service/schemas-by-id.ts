import type { SchemaByIdAnswer } from '../registry-answers.ts';
import { parseGuid } from '../state/guid.ts';
import { defaultContext, parseSubject } from '../state/qualified-subject.ts';
import type { RegistryState, SchemaRow, SubjectVersion } from '../state/registry-state.ts';
import { markOf, page, qualifiedReferences, schemaAnswer, tagsAnswer, textInFormat } from './answer-parts.ts';
import type { DecisionContext } from './decision-context.ts';
import { refusals } from './refusals.ts';
import type { GuardedQuery, SchemaByIdQuery, UsesOfIdQuery } from './registry-queries.ts';
import { candidates, firstFound, namedSubject, newest } from './subject-queries.ts';

export function schemaById(context: DecisionContext, id: number, query: SchemaByIdQuery): SchemaByIdAnswer {
  const { state } = context;
  const { row, use } = rowById(state, id, query);
  const answer = schemaAnswer(state, row);
  return {
    ...(query.subject === undefined ? {} : { subject: use.subject, version: use.version }),
    ...answer,
    ...markOf(use),
    ...textInFormat(context, row, query.format),
    ...qualifiedReferences(row.context, answer, query.referenceFormat),
    ...(query.fetchMaxId === true ? { maxId: state.nextId(row.context) - 1 } : {}),
    ...tagsAnswer(context, row, query.findTags),
  };
}

export function subjectsOfId({ state }: DecisionContext, id: number, query: UsesOfIdQuery): string[] {
  return page([...new Set(usesOfId(state, id, query).map(({ subject }) => subject))], query);
}

export function versionsOfId(
  { state }: DecisionContext,
  id: number,
  query: UsesOfIdQuery,
): { readonly subject: string; readonly version: number }[] {
  return page(usesOfId(state, id, query), query).map(({ subject, version }) => ({ subject, version }));
}

export function schemaByGuid(
  context: DecisionContext,
  guid: string,
  query: GuardedQuery & { readonly format?: string | undefined },
): SchemaByIdAnswer {
  const { isAllowed = () => true } = query;
  const row = rowsOfGuid(context.state, guid, query)[0];
  const use = newest(row?.uses.filter(({ subject }) => isAllowed(subject)) ?? []);
  if (row === undefined || use === undefined) throw refusals.schemaNotFound(guid);
  return {
    ...schemaAnswer(context.state, row),
    ...markOf(use),
    ...textInFormat(context, row, query.format),
  };
}

export function idsOfGuid(
  { state }: DecisionContext,
  guid: string,
  query: GuardedQuery,
): { readonly context: string; readonly id: number }[] {
  return rowsOfGuid(state, guid, query).map(({ context, id }) => ({ context, id }));
}

/** A schema by its id in the context of a subject, and a version that has it; without one, in the default context. */
function rowById(
  state: RegistryState,
  id: number,
  { subject: given, isAllowed = () => true }: GuardedQuery & { readonly subject?: string | undefined },
): { readonly row: SchemaRow; readonly use: SubjectVersion } {
  const named = given === undefined || given === '' ? '' : namedSubject(state, given);
  const { context, subject } = parseSubject(named);
  const useOf = (name: string) =>
    newest(state.row(parseSubject(name).context, id)?.uses.filter((use) => use.subject === name) ?? []);
  const use =
    subject === ''
      ? newest(state.row(context, id)?.uses ?? [])
      : (firstFound(candidates(state, named, undefined), useOf) ??
        (context === defaultContext ? newest(state.row(context, id)?.uses ?? []) : undefined));
  if (use === undefined) throw refusals.schemaNotFound(id);
  const row = state.rowOfVersion(use);
  const shown = isAllowed(use.subject)
    ? use
    : newest(row.uses.filter(({ subject: name }) => isAllowed(name)));
  if (shown === undefined) throw refusals.schemaNotFound(id);
  return { row, use: shown };
}

function usesOfId(state: RegistryState, id: number, query: UsesOfIdQuery): SubjectVersion[] {
  const { row } = rowById(state, id, { subject: query.subject });
  return row.uses
    .filter(({ isDeleted }) => query.deleted === true || !isDeleted)
    .filter(({ subject }) => query.isAllowed?.(subject) !== false)
    .sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.version - b.version));
}

/** The same text may refer to different schemas in different contexts. */
function rowsOfGuid(
  state: RegistryState,
  guid: string,
  { isAllowed = () => true }: GuardedQuery,
): SchemaRow[] {
  const print = parseGuid(guid);
  const rows = print === undefined ? [] : state.rowsOf(print);
  return rows.filter(({ uses }) => uses.some(({ subject }) => isAllowed(subject)));
}
