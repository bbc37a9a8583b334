import { registryLimits } from '../limits.ts';
import { parseOptionList, parseStringText } from './parse-options.ts';
import { parseService } from './parse-service.ts';
import { StatementReader } from './statement-reader.ts';
import type {
  EnumNode,
  ExtendNode,
  FieldNode,
  FileNode,
  ImportNode,
  Label,
  MessageNode,
  NumberRange,
  OneofNode,
  ReservedNode,
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
  readonly #reader: StatementReader;
  readonly #file: FileNode;

  constructor(text: string) {
    this.#tokens = new Tokens(text);
    this.#reader = new StatementReader(this.#tokens);
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
    if (this.#reader.isWord('syntax') || this.#reader.isWord('edition')) this.#parseSyntax();
    while (tokens.kind !== 'end') {
      if (this.#reader.takeSymbol(';')) continue;
      if (tokens.kind !== 'word') throw this.#reader.unexpected('a declaration');
      switch (tokens.text) {
        case 'import':
          file.imports.push(this.#parseImport());
          break;
        case 'package':
          this.#parsePackage();
          break;
        case 'option':
          file.options.push(this.#reader.optionStatement());
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
          file.services.push(parseService(this.#reader));
          break;
        default:
          throw this.#reader.unexpected('a declaration');
      }
    }
    return file;
  }

  #parseSyntax(): void {
    const tokens = this.#tokens;
    const file = this.#file;
    const isSyntax = tokens.text === 'syntax';
    tokens.next();
    this.#reader.expectSymbol('=');
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
    this.#reader.expectSymbol(';');
  }

  #parseImport(): ImportNode {
    const tokens = this.#tokens;
    const { at } = tokens;
    tokens.next();
    let kind: ImportNode['kind'] = 'plain';
    if (this.#reader.isWord('public') || this.#reader.isWord('weak')) {
      kind = tokens.text as 'public' | 'weak';
      tokens.next();
    }
    const path = parseStringText(tokens);
    this.#reader.expectSymbol(';');
    return { path, kind, at };
  }

  #parsePackage(): void {
    const tokens = this.#tokens;
    const { at } = tokens;
    tokens.next();
    if (this.#file.packageName !== '') throw tokens.invalid('the package is declared twice', at);
    this.#file.packageName = this.#reader.typeName(false);
    this.#reader.expectSymbol(';');
  }

  #parseMessage(depth: number): MessageNode {
    const { at } = this.#tokens;
    const message = emptyMessage(this.#reader.name('of a message'), at);
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
    this.#reader.block(() => {
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
          message.options.push(this.#reader.optionStatement());
          break;
        case 'oneof':
          tokens.next();
          this.#parseOneof(message, depth);
          break;
        default:
          message.fields.push(this.#parseField(depth, undefined, false));
      }
    });
  }

  #parseOneof(message: MessageNode, depth: number): void {
    const tokens = this.#tokens;
    const { at } = tokens;
    const oneof: OneofNode = { name: this.#reader.name('of a oneof'), at, options: [] };
    message.oneofs.push(oneof);
    const before = message.fields.length;
    this.#reader.block(() => {
      if (this.#reader.isWord('option')) oneof.options.push(this.#reader.optionStatement());
      else message.fields.push(this.#parseField(depth, oneof, false));
    });
    if (message.fields.length === before) {
      throw tokens.invalid(`oneof ${quoted(oneof.name)} has no field`, at);
    }
  }

  #parseField(depth: number, oneof: OneofNode | undefined, isExtension: boolean): FieldNode {
    const tokens = this.#tokens;
    if (tokens.kind !== 'word' && !this.#reader.isSymbol('.')) throw this.#reader.unexpected('a field');
    const label = this.#label(oneof);
    const typeAt = tokens.at;
    let mapKey: string | undefined;
    let typeName = this.#reader.typeName(true);
    if (typeName === 'map' && this.#reader.isSymbol('<')) {
      if (label !== undefined) throw tokens.invalid('a map has no label', typeAt);
      if (oneof !== undefined) throw tokens.invalid('a oneof must not contain a map', typeAt);
      if (isExtension) throw tokens.invalid('an extension must not be a map', typeAt);
      this.#reader.expectSymbol('<');
      mapKey = this.#reader.typeName(true);
      this.#reader.expectSymbol(',');
      typeName = this.#reader.typeName(true);
      this.#reader.expectSymbol('>');
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
    const name = this.#reader.name('of a field');
    this.#reader.expectSymbol('=');
    const number = this.#reader.integer(0, fieldNumberMax, 'the number of a field');
    const options = parseOptionList(tokens);
    let group: MessageNode | undefined;
    if (isGroup) {
      group = this.#parseGroup(name, at, depth);
    } else {
      this.#reader.expectSymbol(';');
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
    if (
      !this.#reader.isWord('optional') &&
      !this.#reader.isWord('required') &&
      !this.#reader.isWord('repeated')
    )
      return undefined;
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
    const node: EnumNode = {
      name: this.#reader.name('of an enum'),
      at,
      values: [],
      reserved: [],
      options: [],
    };
    this.#reader.block(() => {
      if (this.#reader.isWord('option') && !this.#reader.nextIsSymbol('=')) {
        node.options.push(this.#reader.optionStatement());
      } else if (this.#reader.isWord('reserved') && !this.#reader.nextIsSymbol('=')) {
        node.reserved.push(this.#parseReserved(enumNumberMax, -enumNumberMax - 1));
      } else {
        const valueAt = tokens.at;
        const name = this.#reader.name('of a value');
        this.#reader.expectSymbol('=');
        const number = this.#reader.integer(-enumNumberMax - 1, enumNumberMax, 'the number of a value');
        const options = parseOptionList(tokens);
        this.#reader.expectSymbol(';');
        node.values.push({ name, at: valueAt, number, options });
      }
    });
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
      while (this.#reader.takeSymbol(','));
    } else if (tokens.kind === 'word') {
      if (this.#file.syntax !== 'editions') throw tokens.invalid('reserved names need quotes');
      do names.push(this.#reader.name('that is reserved'));
      while (this.#reader.takeSymbol(','));
    } else {
      ranges = this.#parseRanges(min, max);
    }
    this.#reader.expectSymbol(';');
    return { ranges, names, at };
  }

  #parseRanges(min: number, max: number): NumberRange[] {
    const tokens = this.#tokens;
    const ranges: NumberRange[] = [];
    do {
      const { at } = tokens;
      const from = this.#reader.integer(min, max, 'a number of a range');
      let to = from;
      let single = true;
      if (this.#reader.isWord('to')) {
        tokens.next();
        single = false;
        if (this.#reader.isWord('max')) {
          tokens.next();
          to = max;
        } else {
          to = this.#reader.integer(min, max, 'a number of a range');
        }
      }
      if (to < from) throw tokens.invalid('a range ends before it begins', at);
      ranges.push({ from, to, single, at });
    } while (this.#reader.takeSymbol(','));
    return ranges;
  }

  #parseExtensionRanges(message: MessageNode): void {
    const tokens = this.#tokens;
    if (this.#file.syntax === 'proto3') throw tokens.invalid('proto3 has no extension ranges');
    tokens.next();
    const ranges = this.#parseRanges(1, fieldNumberMax);
    message.extensionRanges.push({ ranges, options: parseOptionList(tokens) });
    this.#reader.expectSymbol(';');
  }

  #parseExtend(depth: number): ExtendNode {
    const tokens = this.#tokens;
    const { at } = tokens;
    const node: ExtendNode = { extendee: this.#reader.typeName(true), at, fields: [] };
    this.#reader.block(() => node.fields.push(this.#parseField(depth, undefined, true)));
    if (node.fields.length === 0) throw tokens.invalid('an extend block has no field', at);
    return node;
  }
}
