import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { quotedSqlName } from '../../format/sql-name.ts';
import { sqlKeywords, sqlMode } from './sql-mode.ts';

/** What queries may name. */
export interface SqlNames {
  readonly tables: readonly string[];
  readonly columns: readonly string[];
}

/** SQL for an editor: colours, and completion of keywords, tables and columns. */
export function sqlLanguage(namesNow: () => SqlNames): readonly Extension[] {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const { from, options } = sqlCompletions(before, namesNow());
    if (from === context.pos && !context.explicit) return null;
    return { from, options: [...options], validFor: /^"?[\p{L}\p{N}_]*$/u };
  };
  return [new LanguageSupport(sqlMode, sqlMode.data.of({ autocomplete: complete }))];
}

/** A name as SQL reads it: in quotes unless it is a plain one. */
export function sqlName(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !sqlKeywords.includes(name);
  return isPlain ? name : quotedSqlName(name);
}

/** What may come at the end of this text, and where it begins. After `from` and `join` only tables may. */
export function sqlCompletions(
  before: string,
  { tables, columns }: SqlNames,
): { readonly from: number; readonly options: readonly Completion[] } {
  const word = /"?[\p{L}\p{N}_]*$/u.exec(before)![0];
  const from = before.length - word.length;
  const ofTables = tables.map((name) => ({ label: sqlName(name), type: 'class' }));
  if (/\b(?:from|join)\s+$/i.test(before.slice(0, from))) return { from, options: ofTables };
  return {
    from,
    options: [
      ...columns.map((name) => ({ label: sqlName(name), type: 'property' })),
      ...ofTables,
      ...sqlKeywords.map((label) => ({ label: label.toUpperCase(), type: 'keyword' })),
    ],
  };
}
