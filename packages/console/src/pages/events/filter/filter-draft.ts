import type { FilterOperator } from '@weir/core';
import {
  type BuilderGroup,
  builderToFilter,
  filterToBuilder,
  parseFilter,
  printFilter,
  printLiteral,
} from '@weir/events';
import { type Literal, literalsText, literalText, readLiteral, readLiterals } from './literal-text.ts';

/** A row of the builder as it is typed. It may be incomplete. */
export interface DraftRow {
  readonly id: number;
  readonly field: string;
  readonly operator: FilterOperator;
  readonly value: string;
}

export interface DraftGroup {
  readonly id: number;
  readonly join: 'and' | 'or';
  readonly rows: readonly (DraftRow | DraftGroup)[];
}

/**
 * The filter that is being written: one filter, in the form of `mode`. Switching moves it into the other form, which
 * replaces what that form had (ADR 0082). If nothing was changed in between, spaces of the text and rows that are not
 * complete yet come back.
 */
export interface FilterDraft {
  readonly mode: 'raw' | 'builder';
  readonly text: string;
  readonly rows: DraftGroup;
  /** The text and the rows that mean the same; one of them may have changed since. */
  readonly same?: { readonly text: string; readonly rows: DraftGroup } | undefined;
}

let ids = 0;
/** Rows have a key of their own, because two may be equal. */
const nextId = () => ++ids;

export const newRow = (field = ''): DraftRow => ({ id: nextId(), field, operator: '==', value: '' });
export const newGroup = (): DraftGroup => ({ id: nextId(), join: 'and', rows: [newRow()] });

const noRows = (): DraftGroup => ({ id: nextId(), join: 'and', rows: [] });

/** The draft of a filter that comes from elsewhere, in rows if that is wanted and they can show it. */
export function draftOf(text: string, mode: FilterDraft['mode']): FilterDraft {
  const draft: FilterDraft = { mode: 'raw', text, rows: noRows() };
  return mode === 'builder' ? toBuilder(draft).draft : draft;
}

/** The draft of another filter. Rows that are not complete yet stay, because they are part of no filter. */
export function withFilter(draft: FilterDraft, text: string): FilterDraft {
  const next = draftOf(text, draft.mode);
  const waiting =
    draft.mode === 'builder' ? draft.rows.rows.filter((row) => !('rows' in row) && !isComplete(row)) : [];
  if (next.mode === 'raw' || waiting.length === 0) return next;
  const rows = { ...next.rows, rows: [...next.rows.rows, ...waiting] };
  return { ...next, rows, same: { text, rows } };
}

/** Shows the filter in rows. If they cannot say the same, the draft stays as it is, and `problem` says why. */
export function toBuilder(draft: FilterDraft): { readonly draft: FilterDraft; readonly problem?: string } {
  const { text, same } = draft;
  if (same?.text === text) return { draft: { ...draft, mode: 'builder', rows: same.rows } };
  const { filter, problems } = parseFilter(text);
  if (filter === undefined)
    return {
      draft,
      problem: `The builder cannot show this filter: ${problems[0]!.message}. Edit it as text.`,
    };
  const { builder, isExact } = filterToBuilder(filter);
  if (!isExact) return { draft, problem: 'The builder cannot show filters chained by |. Edit it as text.' };
  const rows = draftGroup(builder);
  return { draft: { mode: 'builder', text, rows, same: { text, rows } } };
}

export function toRaw(draft: FilterDraft): FilterDraft {
  const { text } = filterOf(draft);
  return { ...draft, mode: 'raw', text, same: { text, rows: draft.rows } };
}

interface DraftFilter {
  readonly text: string;
  /** Rows that are not complete, which the text leaves out. */
  readonly incomplete: number;
  readonly problem?: string | undefined;
}

/** The filter that the draft stands for. */
export function filterOf({ mode, text, rows, same }: FilterDraft): DraftFilter {
  if (mode === 'raw') return { text, incomplete: 0, problem: parseFilter(text).problems?.[0]?.message };
  const { group, incomplete } = completeGroup(rows);
  if (same?.rows === rows) return { text: same.text, incomplete };
  const { filter, problems } = builderToFilter(group);
  if (filter !== undefined) return { text: printFilter(filter), incomplete };
  return { text: same?.text ?? text, incomplete, problem: problems[0]!.message };
}

function completeGroup({ join, rows }: DraftGroup): {
  readonly group: BuilderGroup;
  readonly incomplete: number;
} {
  let incomplete = 0;
  const complete = rows.flatMap((row): BuilderGroup['rows'] => {
    if ('rows' in row) {
      const inner = completeGroup(row);
      incomplete += inner.incomplete;
      return [inner.group];
    }
    if (!isComplete(row)) incomplete++;
    return isComplete(row)
      ? [{ field: row.field.trim(), operator: row.operator, value: readValue(row) }]
      : [];
  });
  return { group: { join, rows: complete }, incomplete };
}

function isComplete({ field, value }: DraftRow): boolean {
  return field.trim() !== '' && value !== '';
}

function readValue({ operator, value }: DraftRow): Literal | readonly Literal[] {
  if (operator === 'in' || operator === 'not in') return readLiterals(value);
  return operator === 'like' || operator === 'not like' ? readPattern(value) : readLiteral(value);
}

/** A pattern is always a text, and needs quotes only where it has some itself or is empty. */
function readPattern(value: string): string {
  const read = value.startsWith('"') ? readLiteral(value) : value;
  return typeof read === 'string' ? read : value;
}

function draftGroup({ join, rows }: BuilderGroup): DraftGroup {
  return {
    id: nextId(),
    join,
    rows: rows.map((row): DraftRow | DraftGroup =>
      'rows' in row
        ? draftGroup(row)
        : { id: nextId(), field: row.field, operator: row.operator, value: typedValue(row) },
    ),
  };
}

function typedValue({ operator, value }: Exclude<BuilderGroup['rows'][number], BuilderGroup>): string {
  if (Array.isArray(value)) return literalsText(value as readonly Literal[]);
  if (operator === 'like' || operator === 'not like') return patternText(String(value));
  return literalText(value as Literal);
}

function patternText(pattern: string): string {
  return pattern !== '' && readPattern(pattern) === pattern ? pattern : printLiteral(pattern);
}
