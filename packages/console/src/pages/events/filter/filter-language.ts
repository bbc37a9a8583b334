import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { LanguageSupport, LRLanguage } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { filterParser, parseFilter, printLiteral } from '@weir/events';
import type { knownFields } from './known-fields.ts';

const lintDelayMs = 250;

const language = LRLanguage.define({ name: 'event filter', parser: filterParser });

type KnownFields = ReturnType<typeof knownFields>;

/** The language of filters for an editor: colours, completion of fields, operators and values, and mistakes. */
export function filterLanguage(fieldsNow: () => KnownFields): readonly Extension[] {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const { from, options } = completionsAt(before, fieldsNow());
    const isEmpty = from === context.pos && !context.explicit && !/[\s[(]$/.test(before);
    return isEmpty || options.length === 0 ? null : { from, options, validFor: /^[\w.`"]*$/ };
  };
  return [
    new LanguageSupport(language, language.data.of({ autocomplete: complete })),
    linter((view) => problemsOf(view.state.doc.toString(), fieldsNow()), { delay: lintDelayMs }),
  ];
}

const operators = ['==', '!=', '<', '>', '<=', '>=', 'like', 'not like', 'in', 'not in'];

/** What may come at the end of this text, and where it begins. */
export function completionsAt(
  before: string,
  fields: KnownFields,
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

/** Mistakes, and fields that no event is known to have, with what to write instead. */
function problemsOf(text: string, fields: KnownFields): Diagnostic[] {
  const { problems: mistakes } = parseFilter(text);
  const names = [...fields.map(({ name }) => name), 'data.tags.*'];
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
