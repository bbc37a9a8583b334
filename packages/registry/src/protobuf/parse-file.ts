import { registryLimits } from '../limits.ts';
import { parseOption, parseOptionList, parseStringText } from './parse-options.ts';
import type {
  EnumNode,
  ExtendNode,
  FieldNode,
  FileNode,
  ImportNode,
  Label,
  MessageNode,
  MethodNode,
  NumberRange,
  OneofNode,
  OptionNode,
  ReservedNode,
  ServiceNode,
} from './syntax-tree.ts';
import { quoted, Tokens } from './tokens.ts';

/** The highest number of a field. */
export const fieldNumberMax = 536_870_911;
/** The highest number of a value of an enum. */
export const enumNumberMax = 2_147_483_647;

const editions = ['2023'];

export const emptyMessage = (name: string, at: number): MessageNode => ({
  name,
  at,
  fields: [],
  oneofs: [],
  messages: [],
  enums: [],
  extends: [],
  extensionRanges: [],
  reserved: [],
  options: [],
});

/** Parses a `.proto` text of proto2, proto3 or edition 2023. Names are resolved later. */
export const parseFile = (text: string): FileNode => new FileParser(text).parse();

class FileParser {
  readonly #tokens: Tokens;
  readonly #file: FileNode;

  constructor(text: string) {
    this.#tokens = new Tokens(text);
    this.#file = {
      text,
      syntax: 'proto2',
      syntaxText: undefined,
      packageName: '',
      imports: [],
      options: [],
      messages: [],
      enums: [],
      extends: [],
      services: [],
    };
  }

  parse(): FileNode {
    const tokens = this.#tokens;
    const file = this.#file;
    if (this.#isWord('syntax') || this.#isWord('edition')) this.#parseSyntax();
    while (tokens.kind !== 'end') {
      if (this.#takeSymbol(';')) continue;
      if (tokens.kind !== 'word') throw this.#unexpected('a declaration');
      switch (tokens.text) {
        case 'import':
          file.imports.push(this.#parseImport());
          break;
        case 'package':
          this.#parsePackage();
          break;
        case 'option':
          file.options.push(this.#parseOptionStatement());
          break;
        case 'message':
          tokens.next();
          file.messages.push(this.#parseMessage(1));
          break;
        case 'enum':
          tokens.next();
          file.enums.push(this.#parseEnum());
          break;
        case 'extend':
          tokens.next();
          file.extends.push(this.#parseExtend(1));
          break;
        case 'service':
          tokens.next();
          file.services.push(this.#parseService());
          break;
        default:
          throw this.#unexpected('a declaration');
      }
    }
    return file;
  }

  #parseSyntax(): void {
    const tokens = this.#tokens;
    const file = this.#file;
    const isSyntax = tokens.text === 'syntax';
    tokens.next();
    this.#expectSymbol('=');
    const { at } = tokens;
    const text = parseStringText(tokens);
    if (isSyntax) {
      if (text !== 'proto2' && text !== 'proto3') {
        throw tokens.invalid(`syntax ${quoted(text)} is unknown; use "proto2" or "proto3"`, at);
      }
      file.syntax = text;
    } else {
      if (!editions.includes(text)) {
        throw tokens.invalid(`edition ${quoted(text)} is not supported; use "2023"`, at);
      }
      file.syntax = 'editions';
    }
    file.syntaxText = text;
    this.#expectSymbol(';');
  }

  #parseImport(): ImportNode {
    const tokens = this.#tokens;
    const { at } = tokens;
    tokens.next();
    let kind: ImportNode['kind'] = 'plain';
    if (this.#isWord('public') || this.#isWord('weak')) {
      kind = tokens.text as 'public' | 'weak';
      tokens.next();
    }
    const path = parseStringText(tokens);
    this.#expectSymbol(';');
    return { path, kind, at };
  }

  #parsePackage(): void {
    const tokens = this.#tokens;
    const { at } = tokens;
    tokens.next();
    if (this.#file.packageName !== '') throw tokens.invalid('the package is declared twice', at);
    this.#file.packageName = this.#typeName(false);
    this.#expectSymbol(';');
  }

  #parseMessage(depth: number): MessageNode {
    const { at } = this.#tokens;
    const message = emptyMessage(this.#name('of a message'), at);
    this.#parseMessageBody(message, depth);
    return message;
  }

  #parseMessageBody(message: MessageNode, depth: number): void {
    const tokens = this.#tokens;
    if (depth > registryLimits.protobufNestingMax) {
      throw tokens.invalid(
        `messages are nested deeper than ${registryLimits.protobufNestingMax}`,
        message.at,
      );
    }
    this.#expectSymbol('{');
    while (!this.#takeSymbol('}')) {
      if (this.#takeSymbol(';')) continue;
      const keyword = tokens.kind === 'word' ? tokens.text : '';
      switch (keyword) {
        case 'message':
          tokens.next();
          message.messages.push(this.#parseMessage(depth + 1));
          break;
        case 'enum':
          tokens.next();
          message.enums.push(this.#parseEnum());
          break;
        case 'extend':
          tokens.next();
          message.extends.push(this.#parseExtend(depth));
          break;
        case 'extensions':
          this.#parseExtensionRanges(message);
          break;
        case 'reserved':
          message.reserved.push(this.#parseReserved(fieldNumberMax, 1));
          break;
        case 'option':
          message.options.push(this.#parseOptionStatement());
          break;
        case 'oneof':
          tokens.next();
          this.#parseOneof(message, depth);
          break;
        default:
          message.fields.push(this.#parseField(depth, undefined, false));
      }
    }
  }

  #parseOneof(message: MessageNode, depth: number): void {
    const tokens = this.#tokens;
    const { at } = tokens;
    const oneof: OneofNode = { name: this.#name('of a oneof'), at, options: [] };
    message.oneofs.push(oneof);
    const before = message.fields.length;
    this.#expectSymbol('{');
    while (!this.#takeSymbol('}')) {
      if (this.#takeSymbol(';')) continue;
      if (this.#isWord('option')) oneof.options.push(this.#parseOptionStatement());
      else message.fields.push(this.#parseField(depth, oneof, false));
    }
    if (message.fields.length === before) {
      throw tokens.invalid(`oneof ${quoted(oneof.name)} has no field`, at);
    }
  }

  #parseField(depth: number, oneof: OneofNode | undefined, isExtension: boolean): FieldNode {
    const tokens = this.#tokens;
    if (tokens.kind !== 'word' && !this.#isSymbol('.')) throw this.#unexpected('a field');
    const label = this.#label(oneof);
    const typeAt = tokens.at;
    let mapKey: string | undefined;
    let typeName = this.#typeName(true);
    if (typeName === 'map' && this.#isSymbol('<')) {
      if (label !== undefined) throw tokens.invalid('a map has no label', typeAt);
      if (oneof !== undefined) throw tokens.invalid('a oneof must not contain a map', typeAt);
      if (isExtension) throw tokens.invalid('an extension must not be a map', typeAt);
      this.#expectSymbol('<');
      mapKey = this.#typeName(true);
      this.#expectSymbol(',');
      typeName = this.#typeName(true);
      this.#expectSymbol('>');
    }
    if (
      this.#file.syntax === 'proto2' &&
      label === undefined &&
      oneof === undefined &&
      mapKey === undefined
    ) {
      throw tokens.invalid('a field of proto2 needs "required", "optional" or "repeated"', typeAt);
    }
    const isGroup = typeName === 'group' && mapKey === undefined && tokens.kind === 'word';
    const { at } = tokens;
    const name = this.#name('of a field');
    this.#expectSymbol('=');
    const number = this.#integer(0, fieldNumberMax, 'the number of a field');
    const options = parseOptionList(tokens);
    let group: MessageNode | undefined;
    if (isGroup) {
      group = this.#parseGroup(name, at, depth);
    } else {
      this.#expectSymbol(';');
    }
    return {
      name: isGroup ? name.toLowerCase() : name,
      at,
      label,
      typeName: isGroup ? name : typeName,
      typeAt,
      mapKey,
      number,
      options,
      group,
      oneof,
    };
  }

  #parseGroup(name: string, at: number, depth: number): MessageNode {
    const tokens = this.#tokens;
    if (this.#file.syntax !== 'proto2') throw tokens.invalid('only proto2 has groups', at);
    if (!/^[A-Z]/.test(name)) throw tokens.invalid('the name of a group begins with a capital letter', at);
    const group = emptyMessage(name, at);
    this.#parseMessageBody(group, depth + 1);
    return group;
  }

  #label(oneof: OneofNode | undefined): Label | undefined {
    const tokens = this.#tokens;
    if (!this.#isWord('optional') && !this.#isWord('required') && !this.#isWord('repeated')) return undefined;
    const label = tokens.text as Label;
    const { at } = tokens;
    tokens.next();
    if (oneof !== undefined) throw tokens.invalid('a field of a oneof has no label', at);
    if (label === 'required' && this.#file.syntax === 'proto3') {
      throw tokens.invalid('proto3 has no required fields', at);
    }
    if (label !== 'repeated' && this.#file.syntax === 'editions') {
      throw tokens.invalid(`editions have no label "${label}"; use the feature field_presence`, at);
    }
    return label;
  }

  #parseEnum(): EnumNode {
    const tokens = this.#tokens;
    const { at } = tokens;
    const node: EnumNode = { name: this.#name('of an enum'), at, values: [], reserved: [], options: [] };
    this.#expectSymbol('{');
    while (!this.#takeSymbol('}')) {
      if (this.#takeSymbol(';')) continue;
      if (this.#isWord('option') && !this.#nextIsSymbol('=')) {
        node.options.push(this.#parseOptionStatement());
      } else if (this.#isWord('reserved') && !this.#nextIsSymbol('=')) {
        node.reserved.push(this.#parseReserved(enumNumberMax, -enumNumberMax - 1));
      } else {
        const valueAt = tokens.at;
        const name = this.#name('of a value');
        this.#expectSymbol('=');
        const number = this.#integer(-enumNumberMax - 1, enumNumberMax, 'the number of a value');
        const options = parseOptionList(tokens);
        this.#expectSymbol(';');
        node.values.push({ name, at: valueAt, number, options });
      }
    }
    return node;
  }

  #parseReserved(max: number, min: number): ReservedNode {
    const tokens = this.#tokens;
    const { at } = tokens;
    tokens.next();
    const names: string[] = [];
    let ranges: NumberRange[] = [];
    if (tokens.kind === 'string') {
      if (this.#file.syntax === 'editions') throw tokens.invalid('reserved names have no quotes in editions');
      do names.push(parseStringText(tokens));
      while (this.#takeSymbol(','));
    } else if (tokens.kind === 'word') {
      if (this.#file.syntax !== 'editions') throw tokens.invalid('reserved names need quotes');
      do names.push(this.#name('that is reserved'));
      while (this.#takeSymbol(','));
    } else {
      ranges = this.#parseRanges(min, max);
    }
    this.#expectSymbol(';');
    return { ranges, names, at };
  }

  #parseRanges(min: number, max: number): NumberRange[] {
    const tokens = this.#tokens;
    const ranges: NumberRange[] = [];
    do {
      const { at } = tokens;
      const from = this.#integer(min, max, 'a number of a range');
      let to = from;
      let single = true;
      if (this.#isWord('to')) {
        tokens.next();
        single = false;
        if (this.#isWord('max')) {
          tokens.next();
          to = max;
        } else {
          to = this.#integer(min, max, 'a number of a range');
        }
      }
      if (to < from) throw tokens.invalid('a range ends before it begins', at);
      ranges.push({ from, to, single, at });
    } while (this.#takeSymbol(','));
    return ranges;
  }

  #parseExtensionRanges(message: MessageNode): void {
    const tokens = this.#tokens;
    if (this.#file.syntax === 'proto3') throw tokens.invalid('proto3 has no extension ranges');
    tokens.next();
    const ranges = this.#parseRanges(1, fieldNumberMax);
    message.extensionRanges.push({ ranges, options: parseOptionList(tokens) });
    this.#expectSymbol(';');
  }

  #parseExtend(depth: number): ExtendNode {
    const tokens = this.#tokens;
    const { at } = tokens;
    const node: ExtendNode = { extendee: this.#typeName(true), at, fields: [] };
    this.#expectSymbol('{');
    while (!this.#takeSymbol('}')) {
      if (!this.#takeSymbol(';')) node.fields.push(this.#parseField(depth, undefined, true));
    }
    if (node.fields.length === 0) throw tokens.invalid('an extend block has no field', at);
    return node;
  }

  #parseService(): ServiceNode {
    const { at } = this.#tokens;
    const service: ServiceNode = { name: this.#name('of a service'), at, methods: [], options: [] };
    this.#expectSymbol('{');
    while (!this.#takeSymbol('}')) {
      if (this.#takeSymbol(';')) continue;
      if (this.#isWord('option')) service.options.push(this.#parseOptionStatement());
      else if (this.#isWord('rpc')) service.methods.push(this.#parseMethod());
      else throw this.#unexpected('"rpc" or "option"');
    }
    return service;
  }

  #parseMethod(): MethodNode {
    const tokens = this.#tokens;
    tokens.next();
    const { at } = tokens;
    const name = this.#name('of a method');
    const input = this.#parseMethodType();
    if (!this.#isWord('returns')) throw this.#unexpected('"returns"');
    tokens.next();
    const output = this.#parseMethodType();
    const options: OptionNode[] = [];
    if (this.#takeSymbol('{')) {
      while (!this.#takeSymbol('}')) {
        if (this.#takeSymbol(';')) continue;
        if (!this.#isWord('option')) throw this.#unexpected('"option"');
        options.push(this.#parseOptionStatement());
      }
    } else {
      this.#expectSymbol(';');
    }
    return {
      name,
      at,
      input: input.type,
      inputAt: input.at,
      output: output.type,
      outputAt: output.at,
      clientStreaming: input.stream,
      serverStreaming: output.stream,
      options,
    };
  }

  #parseMethodType(): { type: string; at: number; stream: boolean } {
    const tokens = this.#tokens;
    this.#expectSymbol('(');
    const stream = this.#isWord('stream');
    if (stream) tokens.next();
    const { at } = tokens;
    const type = this.#typeName(true);
    this.#expectSymbol(')');
    return { type, at, stream };
  }

  #parseOptionStatement(): OptionNode {
    this.#tokens.next();
    const option = parseOption(this.#tokens);
    this.#expectSymbol(';');
    return option;
  }

  /** A name with dots. Only a type may begin with one. */
  #typeName(isType: boolean): string {
    const tokens = this.#tokens;
    const { at } = tokens;
    let name = '';
    if (isType && this.#takeSymbol('.')) name = '.';
    name += this.#name('');
    while (this.#takeSymbol('.')) {
      name += `.${this.#name('')}`;
      if (name.length > registryLimits.protobufFullNameCharsMax) {
        throw tokens.invalid(
          `a name is longer than ${registryLimits.protobufFullNameCharsMax} characters`,
          at,
        );
      }
    }
    return name;
  }

  #name(what: string): string {
    const tokens = this.#tokens;
    if (tokens.kind !== 'word') throw this.#unexpected(what === '' ? 'a name' : `the name ${what}`);
    const { text } = tokens;
    tokens.next();
    return text;
  }

  #integer(min: number, max: number, what: string): number {
    const tokens = this.#tokens;
    const { at } = tokens;
    const negative = this.#takeSymbol('-');
    if (tokens.kind !== 'integer') throw this.#unexpected(what);
    const { text } = tokens;
    const isOctal = /^0[0-7]/.test(text);
    const value = (isOctal ? Number.parseInt(text, 8) : Number(text)) * (negative ? -1 : 1);
    if (value < min || value > max) throw tokens.invalid(`${what} must be from ${min} to ${max}`, at);
    tokens.next();
    // Not the negative zero.
    return value + 0;
  }

  #isWord(text: string): boolean {
    return this.#tokens.kind === 'word' && this.#tokens.text === text;
  }

  #isSymbol(text: string): boolean {
    return this.#tokens.kind === 'symbol' && this.#tokens.text === text;
  }

  /** Whether a symbol follows the current word, for names that are keywords too. */
  #nextIsSymbol(symbol: string): boolean {
    const { source, at, text } = this.#tokens;
    return source
      .slice(at + text.length)
      .trimStart()
      .startsWith(symbol);
  }

  #takeSymbol(text: string): boolean {
    if (!this.#isSymbol(text)) {
      if (this.#tokens.kind === 'end') throw this.#unexpected(quoted(text));
      return false;
    }
    this.#tokens.next();
    return true;
  }

  #expectSymbol(text: string): void {
    if (!this.#takeSymbol(text)) throw this.#unexpected(quoted(text));
  }

  #unexpected(expected: string) {
    return this.#tokens.invalid(`expected ${expected}, found ${this.#tokens.describe()}`);
  }
}
