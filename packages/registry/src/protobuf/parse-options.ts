import { registryLimits } from '../limits.ts';
import type { AggregateEntry, OptionNamePart, OptionNode, OptionValue } from './syntax-tree.ts';
import type { Tokens } from './tokens.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const isSymbol = (tokens: Tokens, text: string): boolean => tokens.kind === 'symbol' && tokens.text === text;

const takeSymbol = (tokens: Tokens, text: string): boolean => {
  if (!isSymbol(tokens, text)) return false;
  tokens.next();
  return true;
};

const expectSymbol = (tokens: Tokens, text: string): void => {
  if (!takeSymbol(tokens, text)) throw tokens.invalid(`expected "${text}", found ${tokens.describe()}`);
};

const takeWord = (tokens: Tokens): string => {
  if (tokens.kind !== 'word') throw tokens.invalid(`expected a name, found ${tokens.describe()}`);
  const { text } = tokens;
  tokens.next();
  return text;
};

const takeDottedName = (tokens: Tokens): string => {
  const { at } = tokens;
  let name = takeSymbol(tokens, '.') ? '.' : '';
  name += takeWord(tokens);
  while (takeSymbol(tokens, '.')) {
    name += `.${takeWord(tokens)}`;
    if (name.length > registryLimits.protobufFullNameCharsMax) {
      throw tokens.invalid(`a name is longer than ${registryLimits.protobufFullNameCharsMax} characters`, at);
    }
  }
  return name;
};

/** Reads one or several strings, which together are one. */
const takeString = (tokens: Tokens): Uint8Array => {
  const parts: Uint8Array[] = [];
  while (tokens.kind === 'string') {
    parts.push(tokens.bytes);
    tokens.next();
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
};

/** Reads a string that is text, such as an import path. */
export const parseStringText = (tokens: Tokens): string => {
  const { at } = tokens;
  if (tokens.kind !== 'string') throw tokens.invalid(`expected a string, found ${tokens.describe()}`);
  try {
    return utf8.decode(takeString(tokens));
  } catch (error) {
    if (error instanceof TypeError) throw tokens.invalid('a string is not UTF-8', at);
    throw error;
  }
};

/** Parses what follows `option`: a name, `=` and a value. */
export const parseOption = (tokens: Tokens): OptionNode => {
  const { at } = tokens;
  const name: OptionNamePart[] = [];
  do {
    if (takeSymbol(tokens, '(')) {
      name.push({ name: takeDottedName(tokens), extension: true });
      expectSymbol(tokens, ')');
    } else {
      name.push({ name: takeWord(tokens), extension: false });
    }
    if (name.length > registryLimits.protobufNestingMax) {
      throw tokens.invalid(
        `the name of an option has more than ${registryLimits.protobufNestingMax} parts`,
        at,
      );
    }
  } while (takeSymbol(tokens, '.'));
  expectSymbol(tokens, '=');
  return { name, at, value: parseValue(tokens, 0) };
};

/** Parses options in brackets, if there are any. */
export const parseOptionList = (tokens: Tokens): OptionNode[] => {
  const options: OptionNode[] = [];
  if (!takeSymbol(tokens, '[')) return options;
  do options.push(parseOption(tokens));
  while (takeSymbol(tokens, ','));
  expectSymbol(tokens, ']');
  return options;
};

const parseValue = (tokens: Tokens, depth: number): OptionValue => {
  const { at } = tokens;
  if (depth > registryLimits.protobufNestingMax) {
    throw tokens.invalid(`the value of an option is nested deeper than ${registryLimits.protobufNestingMax}`);
  }
  if (tokens.kind === 'string') return { kind: 'string', bytes: takeString(tokens), at };
  if (isSymbol(tokens, '{') || (depth > 0 && isSymbol(tokens, '<'))) return parseAggregate(tokens, depth);
  if (depth > 0 && isSymbol(tokens, '[')) return parseList(tokens, depth);
  const sign = takeSymbol(tokens, '-') ? '-' : '';
  const { text } = tokens;
  if (tokens.kind === 'integer' || tokens.kind === 'float') {
    tokens.next();
    return { kind: 'number', text: `${sign}${text}`, at };
  }
  if (tokens.kind === 'word') {
    if (sign !== '' && text !== 'inf' && text !== 'nan' && text !== 'infinity') {
      throw tokens.invalid('only numbers have a sign', at);
    }
    tokens.next();
    return { kind: 'word', text: `${sign}${text}`, at };
  }
  throw tokens.invalid(`expected a value, found ${tokens.describe()}`);
};

const parseList = (tokens: Tokens, depth: number): OptionValue => {
  const { at } = tokens;
  tokens.next();
  const values: OptionValue[] = [];
  if (!takeSymbol(tokens, ']')) {
    do {
      if (isSymbol(tokens, '[')) throw tokens.invalid('a list must not contain a list');
      values.push(parseValue(tokens, depth + 1));
    } while (takeSymbol(tokens, ','));
    expectSymbol(tokens, ']');
  }
  return { kind: 'list', values, at };
};

const parseAggregate = (tokens: Tokens, depth: number): OptionValue => {
  const { at } = tokens;
  const close = tokens.text === '<' ? '>' : '}';
  tokens.next();
  const entries: AggregateEntry[] = [];
  while (!takeSymbol(tokens, close)) {
    const entryAt = tokens.at;
    const key = parseAggregateKey(tokens);
    const hasColon = takeSymbol(tokens, ':');
    if (!hasColon && !isSymbol(tokens, '{') && !isSymbol(tokens, '<') && !isSymbol(tokens, '[')) {
      throw tokens.invalid(`expected ":", found ${tokens.describe()}`);
    }
    entries.push({ key, value: parseValue(tokens, depth + 1), at: entryAt });
    if (!takeSymbol(tokens, ',')) takeSymbol(tokens, ';');
  }
  return { kind: 'aggregate', entries, at };
};

const parseAggregateKey = (tokens: Tokens): string => {
  if (!takeSymbol(tokens, '[')) return takeWord(tokens);
  let name = takeDottedName(tokens);
  if (takeSymbol(tokens, '/')) name += `/${takeDottedName(tokens)}`;
  expectSymbol(tokens, ']');
  return `[${name}]`;
};
