import { StreamLanguage } from '@codemirror/language';

/** Enough of SQL to colour it: comments, texts, quoted names, numbers and keywords. */

export const sqlKeywords: readonly string[] = (
  'select from where group by order having limit offset distinct as on using join inner left right full outer cross ' +
  'lateral union all intersect except with recursive case when then else end and or not in is null like ilike between ' +
  'exists cast asc desc nulls first last over partition rows range window filter qualify sample unnest values interval'
).split(' ');

const keywords: ReadonlySet<string> = new Set(sqlKeywords);
const atoms: ReadonlySet<string> = new Set(['true', 'false']);

interface State {
  isInComment: boolean;
}

export const sqlMode = StreamLanguage.define<State>({
  name: 'sql',
  startState: () => ({ isInComment: false }),
  copyState: ({ isInComment }) => ({ isInComment }),
  token(stream, state) {
    if (state.isInComment) {
      if (stream.skipTo('*/')) {
        stream.pos += 2;
        state.isInComment = false;
      } else stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('--')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match('/*')) {
      state.isInComment = true;
      return 'comment';
    }
    if (stream.match(/^'(?:[^']|'')*'?/)) return 'string';
    if (stream.match(/^"(?:[^"]|"")*"?/)) return 'variableName';
    if (stream.match(/^\d[\d.]*(?:e[+-]?\d+)?/i)) return 'number';
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null;
    if (word === null) {
      stream.next();
      return null;
    }
    const lower = word[0].toLowerCase();
    if (keywords.has(lower)) return 'keyword';
    return atoms.has(lower) ? 'bool' : 'variableName';
  },
  languageData: { commentTokens: { line: '--', block: { open: '/*', close: '*/' } } },
});
