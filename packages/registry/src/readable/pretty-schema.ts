import type { SchemaType } from '../schema-format.ts';

/** What fits into a line of this width and has no object inside stays on one line, such as most fields of a record. */
const lineCharsMax = 80;
/** Deeper levels are not indented further, so that the output stays linear in the input. */
const indentLevelsMax = 32;

/** A schema for people: JSON is indented, the text of Protobuf is already readable. Values keep their spelling. */
export function prettySchema(type: SchemaType, text: string): string {
  return type === 'PROTOBUF' ? text.trimEnd() : prettyJson(text);
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/** Indents JSON token by token, because parsing would round numbers and reorder keys. Other text stays as it is. */
function prettyJson(text: string): string {
  const tokens = text.match(jsonToken) ?? [];
  const closings = closingTokens(tokens);
  if (closings === undefined) return text;
  // How many characters the tokens before each one have on one line.
  const charsBefore = new Uint32Array(tokens.length + 1);
  for (const [index, token] of tokens.entries()) charsBefore[index + 1] = charsBefore[index]! + chars(token);
  const objectsBefore = new Uint32Array(tokens.length + 1);
  for (const [index, token] of tokens.entries())
    objectsBefore[index + 1] = objectsBefore[index]! + (token === '{' ? 1 : 0);
  const parts: string[] = [];
  let level = 0;
  const newLine = () => parts.push('\n', '  '.repeat(Math.min(level, indentLevelsMax)));
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (token === '{' || token === '[') {
      const end = closings.get(index)!;
      const isFlat = objectsBefore[end]! === objectsBefore[index + 1]!;
      const isInLine =
        level > 0 && isFlat && charsBefore[end]! - charsBefore[index]! + 2 * level <= lineCharsMax;
      if (isInLine || end === index + 1) {
        for (; index <= end; index++) parts.push(inLine(tokens[index]!));
        index--;
        continue;
      }
      parts.push(token);
      level++;
      newLine();
    } else if (token === '}' || token === ']') {
      level--;
      newLine();
      parts.push(token);
    } else if (token === ',') {
      parts.push(token);
      newLine();
    } else parts.push(inLine(token));
  }
  return parts.join('');
}

function inLine(token: string): string {
  return token === ',' || token === ':' ? `${token} ` : token;
}

function chars(token: string): number {
  return inLine(token).length;
}

/** The index of the closing token of each opening one, unless they do not match. */
function closingTokens(tokens: readonly string[]): Map<number, number> | undefined {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') open.push(index);
    if (token !== '}' && token !== ']') continue;
    const start = open.pop();
    if (start === undefined || tokens[start] !== (token === '}' ? '{' : '[')) return undefined;
    closings.set(start, index);
  }
  return open.length === 0 ? closings : undefined;
}
