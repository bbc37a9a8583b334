import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { LanguageSupport, LRLanguage } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { filterParser, parseFilter, printLiteral } from '@weir/events';

const lintDelayMs = 250;

const language = LRLanguage.define({ name: 'event filter', parser: filterParser });

/** A field that completion offers, with values that it was seen to have. */
export interface KnownField {
  readonly name: string;
  readonly description: string;
  readonly values: readonly (string | number | boolean)[];
}

/**
 * The language of filters for an editor: colours, completion of fields, operators and values, and mistakes. Fields that
 * match `openNames`, such as `data.tags.*`, may exist without being known.
 */
export function filterLanguage(
  fieldsNow: () => readonly KnownField[],
  openNames: readonly string[],
): readonly Extension[] {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const { from, options } = completionsAt(before, fieldsNow());
    const isEmpty = from === context.pos && !context.explicit && !/[\s[(]$/.test(before);
    return isEmpty || options.length === 0 ? null : { from, options, validFor: /^[\w.`"]*$/ };
  };
  return [
    new LanguageSupport(language, language.data.of({ autocomplete: complete })),
    linter(
      (view) => problemsOf(view.state.doc.toString(), [...fieldsNow().map(({ name }) => name), ...openNames]),
      { delay: lintDelayMs },
    ),
  ];
}

const operators = ['==', '!=', '<', '>', '<=', '>=', 'like', 'not like', 'in', 'not in'];

/** What may come at the end of this text, and where it begins. */
export function completionsAt(
  before: string,
  fields: readonly KnownField[],
): { readonly from: number; readonly options: readonly Completion[] } {
  const value = /([\w.`:]+)\s*(==|!=|<=?|>=?|(?:not\s+)?in\s*\[(?:[^\]]*,)?)\s*("?[^"\s,\]]*)$/.exec(before);
  if (value !== null) {
    const field = fields.find(({ name }) => name === value[1]!.replace(/::\w*$/, ''));
    const options = (field?.values ?? []).map((one) => ({ label: printLiteral(one), type: 'constant' }));
    return { from: before.length - value[3]!.length, options };
  }
  const word = /[\w.`]*$/.exec(before)![0];
  const from = before.length - word.length;
  const earlier = before.slice(0, from).trimEnd();
  if (/(?:^|[(|]|\b(?:and|or))$/.test(earlier))
    return {
      from,
      options: fields.map(({ name, description }) => ({
        label: name,
        detail: '',
        info: description,
        type: 'property',
      })),
    };
  const isAfterField =
    /(?:^|[\s(|])[\w.`]+$/.test(earlier) && !/\b(?:like|in|true|false|null|\d+)$/.test(earlier);
  const words = isAfterField ? operators : ['and', 'or'];
  return { from, options: words.map((label) => ({ label, type: 'keyword' })) };
}

/** Mistakes, and fields that nothing is known to have, with what to write instead. */
function problemsOf(text: string, names: readonly string[]): Diagnostic[] {
  const { problems: mistakes } = parseFilter(text);
  const unknown = mistakes === undefined ? (parseFilter(text, { fields: names }).problems ?? []) : [];
  return (mistakes ?? unknown).map(({ from, to, message, suggestion }) => ({
    from: Math.min(from, text.length),
    to: Math.min(Math.max(to, from), text.length),
    severity: mistakes === undefined ? 'warning' : 'error',
    message,
    ...(suggestion === undefined
      ? {}
      : {
          actions: [
            {
              name: `Write ${suggestion}`,
              apply: (view, start, end) =>
                view.dispatch({ changes: { from: start, to: end, insert: suggestion } }),
            },
          ],
        }),
  }));
}
