import { enumNumberMax, fieldNumberMax } from './parse-file.ts';
import { indented, OptionPrinter, type PrintStyle, quoteBytes } from './print-options.ts';
import type {
  EnumNode,
  ExtendNode,
  ExtensionRangesNode,
  FieldNode,
  ImportNode,
  MessageNode,
  NumberRange,
  ReservedNode,
  ServiceNode,
} from './syntax-tree.ts';
import type { FieldType, LinkedFile, MessageType } from './types.ts';

/**
 * Prints a file as Confluent's registry does, which follows the Wire library: no comments; messages before enums;
 * fields, then oneofs, then groups; a blank line only before the first of a kind at the top.
 */
export const printFile = (file: LinkedFile, style: PrintStyle): string =>
  new FilePrinter(file, style).print();

const quoteText = (text: string): string => quoteBytes(Buffer.from(text, 'utf8'));

class FilePrinter {
  readonly #file: LinkedFile;
  readonly #normalize: boolean;
  readonly #ignoreExtensions: boolean;
  readonly #options: OptionPrinter;

  constructor(file: LinkedFile, style: PrintStyle) {
    this.#file = file;
    this.#normalize = style.normalize;
    this.#ignoreExtensions = style.ignoreExtensions;
    this.#options = new OptionPrinter(file, style);
  }

  print(): string {
    const { node } = this.#file;
    let text = '';
    if (node.syntaxText !== undefined && !(this.#normalize && node.syntax === 'proto2')) {
      text += `${node.syntax === 'editions' ? 'edition' : 'syntax'} = "${node.syntaxText}";\n`;
    }
    if (node.packageName !== '') text += `package ${node.packageName};\n`;
    text += section(this.#imports(node.imports));
    text += section(this.#options.statements(node.options));
    text += section(this.#types(node.messages, node.enums));
    text += section(this.#ignoreExtensions ? '' : this.#extends(node.extends));
    return text + section(node.services.map((service) => this.#service(service)).join(''));
  }

  #imports(imports: readonly ImportNode[]): string {
    const ofKind = (kind: ImportNode['kind'], prefix: string): string => {
      const paths = imports.filter((imported) => imported.kind === kind).map(({ path }) => path);
      if (this.#normalize) paths.sort();
      return paths.map((path) => `import ${prefix}${quoteText(path)};\n`).join('');
    };
    return ofKind('plain', '') + ofKind('public', 'public ') + ofKind('weak', 'weak ');
  }

  /** The order of messages is part of payloads, so it stays. Normalised maps do not declare their entries. */
  #types(messages: readonly MessageNode[], enums: readonly EnumNode[]): string {
    const kept = this.#normalize ? messages.filter(({ options }) => !this.#isMapEntry(options)) : messages;
    return (
      kept.map((message) => this.#message(message)).join('') + enums.map((node) => this.#enum(node)).join('')
    );
  }

  #isMapEntry(options: MessageNode['options']): boolean {
    return options.some(
      ({ name, value }) => name[0]!.name === 'map_entry' && value.kind === 'word' && value.text === 'true',
    );
  }

  #message(node: MessageNode): string {
    return `message ${node.name} {${this.#messageBody(node)}}\n`;
  }

  #messageBody(node: MessageNode): string {
    const plain = node.fields.filter(({ oneof, group }) => oneof === undefined && group === undefined);
    const groups = node.fields.filter(({ oneof, group }) => oneof === undefined && group !== undefined);
    let text = block(this.#reserved(node.reserved, fieldNumberMax));
    text += block(this.#options.statements(node.options));
    text += block(this.#fields(plain));
    text += block(this.#oneofs(node));
    text += block(this.#fields(groups));
    if (!this.#ignoreExtensions) {
      text += block(this.#extensionRanges(node.extensionRanges));
      text += block(this.#extends(node.extends));
    }
    return text + block(this.#types(node.messages, node.enums));
  }

  #oneofs(node: MessageNode): string {
    const byOneof = new Map(node.oneofs.map((oneof) => [oneof, [] as FieldNode[]]));
    for (const field of node.fields) if (field.oneof !== undefined) byOneof.get(field.oneof)!.push(field);
    let oneofs = [...byOneof];
    if (this.#normalize) {
      const first = (fields: readonly FieldNode[]) =>
        fields.reduce((least, { number }) => Math.min(least, number), fieldNumberMax);
      oneofs = oneofs.sort(([, left], [, right]) => first(left) - first(right));
    }
    return oneofs
      .map(([oneof, fields]) => {
        const plain = fields.filter(({ group }) => group === undefined);
        const groups = fields.filter(({ group }) => group !== undefined);
        const body =
          block(this.#options.statements(oneof.options)) +
          block(this.#fields(plain)) +
          block(this.#fields(groups));
        return `oneof ${oneof.name} {${body}}\n`;
      })
      .join('');
  }

  #fields(fields: readonly FieldNode[]): string {
    const ordered = this.#normalize ? fields.toSorted((left, right) => left.number - right.number) : fields;
    return ordered.map((field) => this.#field(field)).join('');
  }

  #field(node: FieldNode): string {
    const options = this.#options.list(node.options);
    const label = node.label === undefined ? '' : `${node.label} `;
    if (node.group !== undefined) {
      return `${label}group ${node.group.name} = ${node.number}${options} {${this.#messageBody(node.group)}}\n`;
    }
    if (this.#normalize) {
      const field = this.#file.fieldOf.get(node)!;
      const entry = field.mapEntry;
      const type = entry === undefined ? fullType(field) : mapType(entry);
      return `${entry === undefined ? label : ''}${type} ${node.name} = ${node.number}${options};\n`;
    }
    const type = node.mapKey === undefined ? node.typeName : `map<${node.mapKey}, ${node.typeName}>`;
    return `${label}${type} ${node.name} = ${node.number}${options};\n`;
  }

  #reserved(all: readonly ReservedNode[], max: number): string {
    const isIdentifier = this.#file.node.syntax === 'editions';
    const name = (text: string) => (isIdentifier ? text : quoteText(text));
    if (!this.#normalize) {
      return all
        .map(
          ({ ranges, names }) =>
            `reserved ${[...ranges.map((range) => printRange(range, max)), ...names.map(name)].join(', ')};\n`,
        )
        .join('');
    }
    const ranges = all.flatMap((reserved) => reserved.ranges).sort((left, right) => left.from - right.from);
    const names = all.flatMap((reserved) => reserved.names).sort();
    return [...ranges.map((range) => printNormalRange(range, max)), ...names.map(name)]
      .map((text) => `reserved ${text};\n`)
      .join('');
  }

  #extensionRanges(all: readonly ExtensionRangesNode[]): string {
    const single = this.#normalize
      ? all
          .flatMap(({ ranges, options }) => ranges.map((range) => ({ ranges: [range], options })))
          .sort((left, right) => left.ranges[0]!.from - right.ranges[0]!.from)
      : all;
    return single
      .map(({ ranges, options }) => {
        const print = this.#normalize ? printNormalRange : printRange;
        const texts = ranges.map((range) => print(range, fieldNumberMax));
        return `extensions ${texts.join(', ')}${this.#options.list(options)};\n`;
      })
      .join('');
  }

  #extends(nodes: readonly ExtendNode[]): string {
    if (!this.#normalize) {
      return nodes.map(({ extendee, fields }) => this.#extend(extendee, fields)).join('');
    }
    const byExtendee = new Map<string, FieldNode[]>();
    for (const node of nodes) {
      const name = `.${this.#file.extendeeOf.get(node)!.fullName}`;
      byExtendee.set(name, [...(byExtendee.get(name) ?? []), ...node.fields]);
    }
    return [...byExtendee].map(([name, fields]) => this.#extend(name, fields)).join('');
  }

  #extend(extendee: string, fields: readonly FieldNode[]): string {
    return `extend ${extendee} {${block(this.#fields(fields))}}\n`;
  }

  #enum(node: EnumNode): string {
    const values = this.#normalize
      ? node.values.toSorted((left, right) => left.number - right.number || (left.name < right.name ? -1 : 1))
      : node.values;
    const body =
      this.#reserved(node.reserved, enumNumberMax) +
      this.#options.statements(node.options) +
      values
        .map(({ name, number, options }) => `${name} = ${number}${this.#options.list(options)};\n`)
        .join('');
    return `enum ${node.name} {${block(body)}}\n`;
  }

  #service(node: ServiceNode): string {
    const methods = node.methods.map((method) => {
      const types = this.#file.methodTypes.get(method)!;
      const input = this.#normalize ? `.${types.input.fullName}` : method.input;
      const output = this.#normalize ? `.${types.output.fullName}` : method.output;
      const options = this.#options.statements(method.options);
      const [from, to] = [method.clientStreaming ? 'stream ' : '', method.serverStreaming ? 'stream ' : ''];
      const end = options === '' ? '' : ` {\n${indented(options)}}`;
      return `rpc ${method.name} (${from}${input}) returns (${to}${output})${end};\n`;
    });
    return `service ${node.name} {${block(this.#options.statements(node.options))}${block(methods.join(''))}}\n`;
  }
}

/** What comes after a blank line. */
const section = (text: string): string => (text === '' ? '' : `\n${text}`);

/** What comes on lines of its own within braces. */
const block = (text: string): string => (text === '' ? '' : `\n${indented(text)}`);

const printRange = ({ from, to, single }: NumberRange, max: number): string => {
  if (single) return String(from);
  return `${from} to ${to === max ? 'max' : to}`;
};

const printNormalRange = (range: NumberRange, max: number): string =>
  printRange({ ...range, single: range.from === range.to }, max);

const fullType = ({ type }: FieldType): string => (typeof type === 'string' ? type : `.${type.fullName}`);

const mapType = (entry: MessageType): string => {
  const [key, value] = [entry.byNumber.get(1)!, entry.byNumber.get(2)!];
  return `map<${fullType(key)}, ${fullType(value)}>`;
};
