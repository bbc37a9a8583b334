import { styleTags, tags } from '@lezer/highlight';
import { generatedParser } from './parser.ts';
import { words } from './tree.ts';

/** After a dot a keyword is a name like any other. */
const names = ['Identifier', 'QuotedName', ...words].map((name) => `Path/${name}`).join(' ');

/** The parser for editors: it builds a tree of any text and gives each part a highlighting tag. */
export const filterParser = generatedParser.configure({
  props: [
    styleTags({
      'and or not like in': tags.operatorKeyword,
      'true false': tags.bool,
      null: tags.null,
      [names]: tags.propertyName,
      'Cast/Identifier': tags.typeName,
      String: tags.string,
      Number: tags.number,
      'CompareOperator Pipe': tags.operator,
      'Dot Colons': tags.derefOperator,
      Comma: tags.separator,
      'OpenParen CloseParen': tags.paren,
      'OpenBracket CloseBracket': tags.squareBracket,
      'ForeignOperator UnclosedString Unknown': tags.invalid,
    }),
  ],
});

/** Parses a complete filter, or throws a SyntaxError. */
export const strictParser = generatedParser.configure({ top: 'Filter', strict: true });

const tokenParser = generatedParser.configure({ top: 'Tokens' });

export interface Token {
  /** The name of the token in the grammar; a keyword is its own name. */
  readonly name: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const cursor = tokenParser.parse(text).cursor();
  if (!cursor.firstChild()) return tokens;
  do {
    const { name, from, to } = cursor;
    tokens.push({ name, from, to, text: text.slice(from, to) });
  } while (cursor.nextSibling());
  return tokens;
}
