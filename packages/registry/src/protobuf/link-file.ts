import { registryLimits } from '../limits.ts';
import {
  booleanOption,
  checkEnum,
  checkField,
  checkMessage,
  invalidIn,
  stringOption,
} from './check-declarations.ts';
import { defaultFeatures, type Features, featureProblem, featuresWith, usesFeatures } from './features.ts';
import { defaultJsonName, mapEntryName } from './names.ts';
import { emptyMessage } from './parse-file.ts';
import { type Meaning, Scope } from './scope.ts';
import type {
  EnumNode,
  ExtendNode,
  FieldNode,
  FileNode,
  Label,
  MessageNode,
  OptionNode,
  ServiceNode,
} from './syntax-tree.ts';
import { quoted } from './tokens.ts';
import {
  EnumType,
  type ExtensionTable,
  type FieldType,
  fieldType,
  isScalarType,
  LinkedFile,
  MessageType,
  type OneofType,
  type ScalarType,
} from './types.ts';

/** An element with options, and the message of descriptor.proto that they are fields of. */
export interface OptionsAt {
  readonly file: LinkedFile;
  readonly scope: Scope;
  readonly optionsType: string;
  readonly options: readonly OptionNode[];
  /** The field that has the options, whose default is one of them. */
  readonly field: FieldType | undefined;
}

interface OpenMessage {
  readonly type: MessageType;
  readonly scope: Scope;
}

interface OpenExtension {
  readonly scope: Scope;
  readonly node: FieldNode;
  readonly extend: ExtendNode;
  readonly features: Features;
  readonly named: Scope;
}

/** Links files one after the other, imports before the files that import them. */
export class Linker {
  readonly root: Scope;
  readonly #extensions = new Map<MessageType, Map<number, FieldType>>();
  readonly #optionsAt: OptionsAt[] = [];

  constructor(base?: Linker) {
    this.root = new Scope(undefined, '', 'package', undefined, base?.root);
  }

  get extensions(): ExtensionTable {
    return this.#extensions;
  }

  /** The options of the files that were linked, which can be interpreted once all extensions are known. */
  takeOptions(): readonly OptionsAt[] {
    return this.#optionsAt.splice(0);
  }

  /** Adds a file that was linked by the base to the files of the schema. */
  include(file: LinkedFile): void {
    for (const extension of file.extensions) this.addExtension(extension);
  }

  /** Links a file. Its imports are in the order of the text; one that was not found is absent. */
  link(path: string, node: FileNode, imports: readonly (LinkedFile | undefined)[]): LinkedFile {
    const features = featuresWith(defaultFeatures[node.syntax], node.options, node.text);
    const file = new LinkedFile(path, node, features);
    this.#findVisible(file, imports);
    new FileLinker(this, file, this.#optionsAt).link();
    return file;
  }

  #findVisible(file: LinkedFile, imports: readonly (LinkedFile | undefined)[]): void {
    for (const [at, imported] of imports.entries()) {
      const node = file.node.imports[at]!;
      if (imported === undefined) file.missingImports.add(node);
      else {
        file.imports.push(imported);
        if (node.kind === 'public') file.publicImports.push(imported);
      }
    }
    const add = (other: LinkedFile) => {
      if (file.visible.has(other)) return;
      file.visible.add(other);
      let dot = -1;
      const { packageName } = other.node;
      if (packageName === '') return;
      do {
        dot = packageName.indexOf('.', dot + 1);
        file.visiblePackages.add(dot === -1 ? packageName : packageName.slice(0, dot));
      } while (dot !== -1);
    };
    const addWithPublic = (start: LinkedFile) => {
      const open = [start];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (file.visible.has(next)) continue;
        add(next);
        open.push(...next.publicImports);
      }
    };
    add(file);
    for (const imported of file.imports) addWithPublic(imported);
  }

  /** Returns the name of the extension that has the number already, if one has. */
  addExtension(extension: FieldType): string | undefined {
    const extendee = extension.extendee!;
    let byNumber = this.#extensions.get(extendee);
    if (byNumber === undefined) {
      byNumber = new Map();
      this.#extensions.set(extendee, byNumber);
    }
    const taken = byNumber.get(extension.number);
    if (taken !== undefined) return taken.fullName;
    byNumber.set(extension.number, extension);
    return undefined;
  }
}

class FileLinker {
  readonly #linker: Linker;
  readonly #file: LinkedFile;
  readonly #optionsAt: OptionsAt[];
  readonly #openMessages: OpenMessage[] = [];
  readonly #openExtensions: OpenExtension[] = [];
  readonly #entryNodes = new Map<FieldNode, MessageType>();

  constructor(linker: Linker, file: LinkedFile, optionsAt: OptionsAt[]) {
    this.#linker = linker;
    this.#file = file;
    this.#optionsAt = optionsAt;
  }

  link(): void {
    const file = this.#file;
    const { node } = file;
    const scope = this.#declarePackage();
    this.#options(scope, 'FileOptions', node.options);
    for (const { message, group } of messagesInOrder(node.messages, [], node.extends)) {
      const type = this.#declareMessage(scope, message, file.features);
      if (!group) file.messages.push(type);
    }
    for (const child of node.enums) file.enums.push(this.#declareEnum(scope, child, file.features));
    this.#declareExtensions(scope, node.extends, file.features);
    for (const service of node.services) this.#declareService(scope, service);
    for (const open of this.#openMessages) this.#linkFields(open);
    for (const open of this.#openExtensions) this.#linkExtension(open);
    for (const { type } of this.#openMessages) checkMessage(type);
    for (const service of node.services) this.#linkService(scope, service);
  }

  #invalid(at: number, message: string) {
    return invalidIn(this.#file, at, message);
  }

  #options(scope: Scope, optionsType: string, options: readonly OptionNode[], field?: FieldType): void {
    const features = usesFeatures(options);
    if (features !== undefined && this.#file.node.syntax !== 'editions') {
      throw this.#invalid(features.at, 'features need an edition');
    }
    const problem = features === undefined ? undefined : featureProblem(options, optionsType);
    if (problem !== undefined) throw this.#invalid(problem.at, problem.message);
    // Descriptors may have options that are not listed yet.
    const mayHaveOptions = options.length > 0 || this.#file.node.text === '';
    if (mayHaveOptions) this.#optionsAt.push({ file: this.#file, scope, optionsType, options, field });
  }

  #declarePackage(): Scope {
    let scope = this.#linker.root;
    const { packageName } = this.#file.node;
    if (packageName === '') return scope;
    if (packageName.length > registryLimits.protobufFullNameCharsMax) {
      throw this.#invalid(
        0,
        `the package is longer than ${registryLimits.protobufFullNameCharsMax} characters`,
      );
    }
    for (const part of packageName.split('.')) {
      const added = scope.add(part, 'package', this.#file);
      if (added.taken) {
        throw this.#invalid(-1, `package ${quoted(packageName)} has the name of another declaration`);
      }
      scope = added.scope;
    }
    return scope;
  }

  #declare(scope: Scope, name: string, meaning: Meaning, at: number): Scope {
    const added = scope.add(name, meaning, this.#file);
    if (added.taken) throw this.#invalid(at, `${quoted(added.scope.fullName)} is declared twice`);
    if (added.scope.fullName.length > registryLimits.protobufFullNameCharsMax) {
      throw this.#invalid(
        at,
        `a name with its package is longer than ${registryLimits.protobufFullNameCharsMax} characters`,
      );
    }
    return added.scope;
  }

  #declareMessage(parent: Scope, node: MessageNode, inherited: Features): MessageType {
    const features = featuresWith(inherited, node.options, this.#file.node.text);
    const type = new MessageType(parent.nameOf(node.name), this.#file, node, features);
    const scope = this.#declare(parent, node.name, type, node.at);
    this.#openMessages.push({ type, scope });
    this.#options(scope, 'MessageOptions', node.options);
    for (const { options } of node.extensionRanges) this.#options(scope, 'ExtensionRangeOptions', options);
    type.isMapEntry = booleanOption(node.options, 'map_entry') === true;
    for (const oneof of node.oneofs) {
      this.#declare(scope, oneof.name, 'other', oneof.at);
      this.#options(scope, 'OneofOptions', oneof.options);
      type.oneofs.push({ name: oneof.name, node: oneof, fields: [] });
    }
    for (const field of node.fields) this.#declare(scope, field.name, 'other', field.at);
    for (const { message, entryOf, group } of messagesInOrder(node.messages, node.fields, node.extends)) {
      const child = this.#declareMessage(scope, message, features);
      type.messages.push(child);
      if (entryOf !== undefined) {
        child.isMapEntry = true;
        this.#entryNodes.set(entryOf, child);
      } else if (!group) {
        type.declaredMessages.push(child);
      }
    }
    for (const child of node.enums) type.enums.push(this.#declareEnum(scope, child, features));
    this.#declareExtensions(scope, node.extends, features);
    return type;
  }

  #declareEnum(parent: Scope, node: EnumNode, inherited: Features): EnumType {
    const features = featuresWith(inherited, node.options, this.#file.node.text);
    const type = new EnumType(parent.nameOf(node.name), this.#file, node, features.enumType === 'CLOSED');
    const scope = this.#declare(parent, node.name, type, node.at);
    this.#options(scope, 'EnumOptions', node.options);
    for (const value of node.values) {
      // Values are siblings of their enum, as in C++.
      this.#declare(parent, value.name, 'other', value.at);
      this.#options(scope, 'EnumValueOptions', value.options);
    }
    checkEnum(type, features);
    return type;
  }

  #declareExtensions(scope: Scope, nodes: readonly ExtendNode[], features: Features): void {
    for (const extend of nodes) {
      for (const node of extend.fields) {
        const named = this.#declare(scope, node.name, 'other', node.at);
        this.#openExtensions.push({ scope, node, extend, features, named });
      }
    }
  }

  #declareService(parent: Scope, node: ServiceNode): void {
    const scope = this.#declare(parent, node.name, 'service', node.at);
    this.#options(scope, 'ServiceOptions', node.options);
    for (const method of node.methods) {
      this.#declare(scope, method.name, 'other', method.at);
      this.#options(scope, 'MethodOptions', method.options);
    }
  }

  #linkService(parent: Scope, node: ServiceNode): void {
    const scope = parent.child(node.name)!;
    for (const method of node.methods) {
      this.#file.methodTypes.set(method, {
        input: this.#resolveMessage(scope, method.input, method.inputAt, 'a method'),
        output: this.#resolveMessage(scope, method.output, method.outputAt, 'a method'),
      });
    }
  }

  #linkFields({ type, scope }: OpenMessage): void {
    // Maps are encoded alike, whatever the features of a file say about messages.
    const features: Features = type.isMapEntry
      ? { ...type.features, messageEncoding: 'LENGTH_PREFIXED' }
      : type.features;
    const oneofs = new Map(type.oneofs.map((oneof) => [oneof.node, oneof]));
    for (const node of type.node.fields) {
      const oneof = node.oneof === undefined ? undefined : oneofs.get(node.oneof);
      const field = this.#linkField(scope, node, features, oneof, undefined);
      oneof?.fields.push(field);
      type.fields.push(field);
      const taken = type.byNumber.get(field.number);
      if (taken !== undefined) {
        throw this.#invalid(
          node.at,
          `fields ${quoted(taken.name)} and ${quoted(field.name)} of ${quoted(type.fullName)} have number ${field.number}`,
        );
      }
      type.byNumber.set(field.number, field);
    }
    // Names come before names in JSON.
    for (const field of type.fields) type.byName.set(field.name, field);
    for (const field of type.fields) {
      if (!type.byName.has(field.jsonName)) type.byName.set(field.jsonName, field);
    }
    this.#addProto3OptionalOneofs(type);
  }

  /** Oneofs of proto3's optional fields come after the others, and have names that are not taken. */
  #addProto3OptionalOneofs(type: MessageType): void {
    const taken = new Set([...type.fields.map(({ name }) => name), ...type.oneofs.map(({ name }) => name)]);
    for (const field of type.fields) {
      if (!field.isProto3Optional) continue;
      let name = field.name.startsWith('_') ? field.name : `_${field.name}`;
      while (taken.has(name)) name = `X${name}`;
      taken.add(name);
      type.oneofs.push({ name, node: undefined, fields: [field] });
    }
  }

  #linkExtension({ scope, node, extend, features, named }: OpenExtension): void {
    let extendee = this.#file.extendeeOf.get(extend);
    if (extendee === undefined) {
      extendee = this.#resolveMessage(scope, extend.extendee, extend.at, 'an extension');
      this.#file.extendeeOf.set(extend, extendee);
    }
    const { number } = node;
    if (!extendee.hasExtensionNumber(number)) {
      throw this.#invalid(
        node.at,
        `${quoted(extendee.fullName)} has no extension range with the number ${number} of ${quoted(named.fullName)}`,
      );
    }
    if (this.#file.node.syntax === 'proto3' && !/^google\.protobuf\.\w+Options$/.test(extendee.fullName)) {
      throw this.#invalid(extend.at, 'proto3 has extensions of options only');
    }
    const field = this.#linkField(scope, node, features, undefined, extendee);
    named.meaning = field;
    const taken = this.#linker.addExtension(field);
    if (taken !== undefined) {
      throw this.#invalid(
        node.at,
        `extensions ${quoted(taken)} and ${quoted(field.fullName)} of ${quoted(extendee.fullName)} have number ${number}`,
      );
    }
    this.#file.extensions.push(field);
  }

  #linkField(
    scope: Scope,
    node: FieldNode,
    inherited: Features,
    oneof: OneofType | undefined,
    extendee: MessageType | undefined,
  ): FieldType {
    const features = featuresWith(inherited, node.options, this.#file.node.text);
    const type = this.#resolveFieldType(scope, node);
    const isMap = typeof type !== 'string' && type.kind === 'message' && type.isMapEntry;
    const { syntax } = this.#file.node;
    const label: Label = node.mapKey !== undefined ? 'repeated' : (node.label ?? 'optional');
    const isProto3Optional = syntax === 'proto3' && node.label === 'optional' && !isMap;
    const packed = booleanOption(node.options, 'packed');
    const isPacked =
      label === 'repeated' &&
      !(type === 'string' || type === 'bytes' || (typeof type !== 'string' && type.kind === 'message')) &&
      (packed ?? features.repeatedFieldEncoding === 'PACKED');
    const field = fieldType({
      node,
      name: node.name,
      fullName: scope.nameOf(node.name),
      number: node.number,
      label,
      type,
      jsonName: stringOption(node.options, 'json_name') ?? defaultJsonName(node.name),
      features,
      isPacked,
      oneof,
      isProto3Optional: isProto3Optional && extendee === undefined,
      extendee,
    });
    checkField(field, this.#file);
    this.#file.fieldOf.set(node, field);
    this.#options(scope, 'FieldOptions', node.options, field);
    return field;
  }

  #resolveFieldType(scope: Scope, node: FieldNode): ScalarType | MessageType | EnumType {
    if (node.mapKey !== undefined) return this.#entryNodes.get(node)!;
    if (isScalarType(node.typeName)) return node.typeName;
    if (node.group !== undefined) {
      return scope.child(node.group.name)!.meaning as MessageType;
    }
    return this.#resolveType(scope, node.typeName, node.typeAt);
  }

  #resolveMessage(scope: Scope, name: string, at: number, what: string): MessageType {
    const type = isScalarType(name) ? undefined : this.#resolveType(scope, name, at);
    if (type?.kind !== 'message') throw this.#invalid(at, `${what} needs a message, not ${quoted(name)}`);
    return type;
  }

  #resolveType(scope: Scope, name: string, at: number): MessageType | EnumType {
    const found = scope.resolve(name, this.#file, 'type');
    if (found === undefined) {
      const [missing] = this.#file.missingImports;
      const hint =
        missing === undefined
          ? ''
          : `; import ${quoted(missing.path)} is not found: add a reference with this name`;
      throw this.#invalid(at, `type ${quoted(name)} is not defined or not imported${hint}`);
    }
    return found.meaning as MessageType | EnumType;
  }
}

interface MessageInOrder {
  readonly message: MessageNode;
  /** The map that the message is the entry of. */
  readonly entryOf: FieldNode | undefined;
  readonly group: boolean;
}

/** Messages in the order of descriptors, those of maps and groups included. */
const messagesInOrder = (
  messages: readonly MessageNode[],
  fields: readonly FieldNode[],
  extendNodes: readonly ExtendNode[],
): MessageInOrder[] => {
  const all: MessageInOrder[] = messages.map((message) => ({ message, entryOf: undefined, group: false }));
  for (const field of [...fields, ...extendNodes.flatMap((extend) => extend.fields)]) {
    if (field.group !== undefined) all.push({ message: field.group, entryOf: undefined, group: true });
    if (field.mapKey !== undefined) all.push({ message: entryNode(field), entryOf: field, group: false });
  }
  // Sorting is stable, and nodes of descriptors all have the same offset.
  return all.sort((left, right) => left.message.at - right.message.at);
};

const entryNode = (field: FieldNode): MessageNode => {
  const entry = emptyMessage(mapEntryName(field.name), field.at);
  const fieldNode = (name: string, number: number, typeName: string): FieldNode => ({
    name,
    at: field.at,
    label: undefined,
    typeName,
    typeAt: field.typeAt,
    mapKey: undefined,
    number,
    options: [],
    group: undefined,
    oneof: undefined,
  });
  entry.fields.push(fieldNode('key', 1, field.mapKey!), fieldNode('value', 2, field.typeName));
  return entry;
};
