import { StreamLanguage } from '@codemirror/language';

/** Enough of Protobuf to colour it: comments, texts, numbers, keywords and types. */

const keywords: ReadonlySet<string> = new Set(
  (
    'syntax edition import weak public option package message enum service rpc returns stream oneof map extend ' +
    'extensions reserved to max repeated optional required group'
  ).split(' '),
);
const atoms: ReadonlySet<string> = new Set(['true', 'false', 'inf', 'nan']);
const types: ReadonlySet<string> = new Set(
  'double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes'.split(
    ' ',
  ),
);

interface State {
  isInComment: boolean;
}

export const protobufMode = StreamLanguage.define<State>({
  name: 'protobuf',
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
    if (stream.match('//')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match('/*')) {
      state.isInComment = true;
      return 'comment';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return 'string';
    if (stream.match(/^-?(?:0x[\da-f]+|\d[\d.]*(?:e[+-]?\d+)?)/i)) return 'number';
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word === null) {
      stream.next();
      return null;
    }
    if (keywords.has(word[0])) return 'keyword';
    if (types.has(word[0])) return 'typeName';
    return atoms.has(word[0]) ? 'bool' : 'variableName';
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
});
