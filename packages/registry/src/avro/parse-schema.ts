import { isArray, isObject, type JsonNode, JsonNumber, type JsonObject } from '../exact-json.ts';
import { registryLimits } from '../limits.ts';
import { InvalidSchema, type SchemaSource } from '../schema-format.ts';
import {
  type AvroField,
  type AvroName,
  type AvroType,
  avroName,
  branchName,
  isPrimitiveName,
  isValidName,
  type NamedType,
  type PendingType,
  type UnresolvedType,
} from './avro-type.ts';
import { DefaultValidator } from './default-validator.ts';
import { javaNumber, jsonText, parseJson } from './json-text.ts';
import { quoted } from './quoted.ts';
import { sameDefinition } from './same-definition.ts';
import { ValidationBudget } from './validation-budget.ts';

export interface ParsedAvro {
  readonly root: AvroType;
  /** Full names of the types at the root of references, which the canonical text does not repeat. */
  readonly referencedNames: ReadonlySet<string>;
  /** The first default that does not fit its type: releases of Avro before 1.9 did not check them. */
  readonly problemIfNew: string | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const schemaKeys: ReadonlySet<string> = new Set([
  'doc',
  'fields',
  'items',
  'name',
  'namespace',
  'size',
  'symbols',
  'values',
  'type',
  'aliases',
]);
const enumKeys: ReadonlySet<string> = new Set([...schemaKeys, 'default']);
const fieldKeys: ReadonlySet<string> = new Set(['default', 'doc', 'name', 'order', 'type', 'aliases']);

/** The most that Java can hold in one array. */
const fixedBytesMax = 2 ** 31 - 9;

/** Parses a schema after all schemas that it refers to, as Avro's Java library does. */
export function parseAvro(source: SchemaSource): ParsedAvro {
  const types = new Map<string, NamedType>();
  const budget = new ValidationBudget();
  const referencedNames = new Set<string>();
  let problemIfNew: string | undefined;
  for (const { name, text } of referencedTexts(source)) {
    try {
      const reader = new SchemaReader(text, types, budget);
      const root = reader.read();
      if ('fullName' in root) referencedNames.add(root.fullName);
      const { invalidDefault: problem } = reader;
      if (problem !== undefined) problemIfNew ??= `reference ${quoted(name)}: ${problem}`;
    } catch (error) {
      if (!(error instanceof InvalidSchema)) throw error;
      throw new InvalidSchema(`reference ${quoted(name)}: ${error.message}`);
    }
  }
  const reader = new SchemaReader(source.text, types, budget);
  const root = reader.read();
  return { root, referencedNames, problemIfNew: problemIfNew ?? reader.invalidDefault };
}

/** Schemas that a schema refers to, each after those that it refers to itself. The first of one name counts. */
function referencedTexts(source: SchemaSource): { name: string; text: string }[] {
  const texts: { name: string; text: string }[] = [];
  const seen = new Set<string>();
  const open = [{ name: '', source, next: 0 }];
  let charsLeft: number = registryLimits.avroReferencedCharsMax;
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const reference = top.source.references[top.next];
    top.next += 1;
    if (reference !== undefined) {
      if (seen.has(reference.name)) continue;
      seen.add(reference.name);
      charsLeft -= reference.source.text.length;
      if (seen.size > registryLimits.avroReferencesMax || charsLeft < 0) {
        throw new InvalidSchema(
          `the schema refers to more than ${registryLimits.avroReferencesMax} schemas or ` +
            `${registryLimits.avroReferencedCharsMax} characters`,
        );
      }
      open.push({ name: reference.name, source: reference.source, next: 0 });
    } else {
      open.pop();
      if (open.length > 0) texts.push({ name: top.name, text: top.source.text });
    }
  }
  return texts;
}

class SchemaReader {
  /** What is wrong with the first default that does not fit its type. */
  invalidDefault: string | undefined;
  readonly #text: string;
  readonly #types: Map<string, NamedType>;
  /** Validates defaults while names are unresolved, and then again. */
  readonly #earlyDefaults: DefaultValidator;
  readonly #defaults: DefaultValidator;
  readonly #budget: ValidationBudget;
  readonly #path: string[] = [];
  /** Places of names that were not known when they were read. */
  readonly #unresolved: { at: UnresolvedType; put: (type: NamedType) => void }[] = [];
  readonly #unions: { branches: readonly AvroType[]; path: string }[] = [];
  readonly #fields: { field: AvroField; path: string }[] = [];

  constructor(text: string, types: Map<string, NamedType>, budget: ValidationBudget) {
    this.#text = text;
    this.#types = types;
    this.#budget = budget;
    this.#earlyDefaults = new DefaultValidator(budget);
    this.#defaults = new DefaultValidator(budget);
  }

  read(): AvroType {
    if (this.#text.length > registryLimits.avroTextCharsMax) {
      throw new InvalidSchema(`the schema is longer than ${registryLimits.avroTextCharsMax} characters`);
    }
    let root = this.#readType(parseJson(this.#text, registryLimits.avroDepthMax), undefined, (type) => {
      root = type;
    });
    for (const { at, put } of this.#unresolved) {
      const type = this.#types.get(at.fullName);
      if (type === undefined) {
        throw new InvalidSchema(
          `at ${at.path}: unknown type ${quoted(at.fullName)}; define it in the schema or add a reference to it`,
        );
      }
      put(type);
    }
    for (const { branches, path } of this.#unions) checkBranches(branches, path);
    for (const { field, path } of this.#fields) {
      if (!this.#defaults.isValidDefault(field)) this.invalidDefault ??= defaultProblem(field, path);
    }
    // The first definition, if a reference has the same.
    return 'fullName' in root ? this.#types.get(root.fullName)! : root;
  }

  #readType(node: JsonNode, namespace: string | undefined, put: (type: NamedType) => void): PendingType {
    if (typeof node === 'string') return this.#find(node, namespace, put);
    if (isArray(node)) return this.#readUnion(node, namespace);
    if (!isObject(node)) throw this.#problem(`expected a type, found ${quoted(jsonText(node))}`);
    const type = node.get('type');
    if (typeof type !== 'string') {
      throw this.#problem(
        '"type" is missing or not a string; for a union or a nested type, write it without "type"',
      );
    }
    if (isPrimitiveName(type)) return { kind: type, properties: propertiesOf(node, schemaKeys) };
    switch (type) {
      case 'record':
      case 'error':
        return this.#readRecord(node, namespace, type === 'error');
      case 'enum':
        return this.#readEnum(node, namespace);
      case 'fixed':
        return this.#readFixed(node, namespace);
      case 'array': {
        const array: Mutable<Extract<AvroType, { kind: 'array' }>> = {
          kind: 'array',
          items: undefined as never,
          properties: propertiesOf(node, schemaKeys),
        };
        array.items = this.#readPart(node, 'items', namespace, (items) => {
          array.items = items;
        });
        return array;
      }
      case 'map': {
        const map: Mutable<Extract<AvroType, { kind: 'map' }>> = {
          kind: 'map',
          values: undefined as never,
          properties: propertiesOf(node, schemaKeys),
        };
        map.values = this.#readPart(node, 'values', namespace, (values) => {
          map.values = values;
        });
        return map;
      }
      default:
        return this.#find(type, namespace, put);
    }
  }

  /** The type of a key. It may be unresolved until the whole text is read. */
  #readPart(
    node: JsonObject,
    key: string,
    namespace: string | undefined,
    put: (type: NamedType) => void,
  ): AvroType {
    const part = node.get(key);
    if (part === undefined) throw this.#problem(`"${key}" is missing`);
    return this.#below(key, () => this.#readType(part, namespace, put)) as AvroType;
  }

  /** A type by its name. Names without dots are looked for in the namespace around them, then in the empty one. */
  #find(text: string, namespace: string | undefined, put: (type: NamedType) => void): PendingType {
    if (isPrimitiveName(text)) return { kind: text, properties: noProperties };
    const fullName = namespace === undefined || text.includes('.') ? text : `${namespace}.${text}`;
    const known = this.#types.get(fullName) ?? this.#types.get(text);
    if (known !== undefined) return known;
    const at: UnresolvedType = { kind: 'unresolved', fullName, path: this.#where() };
    this.#unresolved.push({ at, put });
    return at;
  }

  #readUnion(nodes: readonly JsonNode[], namespace: string | undefined): AvroType {
    const branches: AvroType[] = [];
    for (const [at, node] of nodes.entries()) {
      const branch = this.#below(at, () =>
        this.#readType(node, namespace, (type) => {
          branches[at] = type;
        }),
      );
      branches.push(branch as AvroType);
    }
    this.#unions.push({ branches, path: this.#where() });
    return { kind: 'union', branches };
  }

  #readRecord(node: JsonObject, namespace: string | undefined, isError: boolean): AvroType {
    const name = this.#readName(node, namespace);
    const fieldNodes = node.get('fields');
    if (!isArray(fieldNodes))
      throw this.#problem(`record ${quoted(name.fullName)} needs an array of "fields"`);
    const fields: AvroField[] = [];
    const fieldByName = new Map<string, AvroField>();
    this.#below('fields', () => {
      for (const [position, fieldNode] of fieldNodes.entries()) {
        this.#below(position, () => {
          const field = this.#readField(fieldNode, position, name.namespace);
          if (fieldByName.has(field.name)) {
            throw this.#problem(`record ${quoted(name.fullName)} has two fields ${quoted(field.name)}`);
          }
          fields.push(field);
          fieldByName.set(field.name, field);
        });
      }
    });
    return this.#define({
      kind: 'record',
      ...name,
      doc: textOf(node, 'doc'),
      isError,
      fields,
      fieldByName,
      aliases: this.#readTypeAliases(node, name),
      properties: propertiesOf(node, schemaKeys),
    });
  }

  #readField(node: JsonNode, position: number, namespace: string | undefined): AvroField {
    if (!isObject(node)) throw this.#problem('expected a field, which is an object');
    const name = textOf(node, 'name');
    if (name === undefined) throw this.#problem('the field has no name');
    if (!isValidName(name)) throw this.#invalidName(name, 'field name');
    const field: Mutable<AvroField> = {
      name,
      position,
      type: undefined as never,
      doc: textOf(node, 'doc'),
      default: node.get('default'),
      order: this.#readOrder(node.get('order')),
      aliases: this.#readAliases(node),
      properties: propertiesOf(node, fieldKeys),
    };
    field.type = this.#readPart(node, 'type', namespace, (type) => {
      field.type = type;
    });
    if (field.default !== undefined) {
      field.default = numericDefault(field.type, field.default);
      // Once while names are unresolved, as in the Java library: they only take objects. Then again, in `read`.
      if (this.#earlyDefaults.isValidDefault(field)) this.#fields.push({ field, path: this.#where() });
      else {
        field.default = node.get('default')!;
        this.invalidDefault ??= defaultProblem(field, this.#where());
      }
    }
    return field;
  }

  #readOrder(node: JsonNode | undefined): AvroField['order'] {
    if (node === undefined) return 'ascending';
    const order = typeof node === 'string' ? node.toLowerCase() : undefined;
    if (order === 'ascending' || order === 'descending' || order === 'ignore') return order;
    throw this.#problem(`"order" is ascending, descending or ignore, not ${quoted(jsonText(node))}`);
  }

  #readEnum(node: JsonObject, namespace: string | undefined): AvroType {
    const name = this.#readName(node, namespace);
    const symbols = node.get('symbols');
    if (!isArray(symbols)) throw this.#problem(`enum ${quoted(name.fullName)} needs an array of "symbols"`);
    const seen = new Set<string>();
    for (const symbol of symbols) {
      if (typeof symbol !== 'string' || !isValidName(symbol)) {
        throw this.#invalidName(typeof symbol === 'string' ? symbol : jsonText(symbol), 'enum symbol');
      }
      if (seen.has(symbol)) {
        throw this.#problem(`enum ${quoted(name.fullName)} has the symbol ${quoted(symbol)} twice`);
      }
      seen.add(symbol);
    }
    const fallback = textOf(node, 'default');
    if (fallback !== undefined && !seen.has(fallback)) {
      throw this.#problem(
        `the default ${quoted(fallback)} of enum ${quoted(name.fullName)} is not one of its symbols`,
      );
    }
    return this.#define({
      kind: 'enum',
      ...name,
      doc: textOf(node, 'doc'),
      symbols: [...seen],
      default: fallback,
      aliases: this.#readTypeAliases(node, name),
      properties: propertiesOf(node, enumKeys),
    });
  }

  #readFixed(node: JsonObject, namespace: string | undefined): AvroType {
    const name = this.#readName(node, namespace);
    const size = node.get('size');
    const sizeBytes = size instanceof JsonNumber && size.isInteger ? Number(size.text) : -1;
    if (sizeBytes < 0 || sizeBytes > fixedBytesMax) {
      throw this.#problem(
        `"size" of fixed ${quoted(name.fullName)} must be an integer from 0 to ${fixedBytesMax}`,
      );
    }
    return this.#define({
      kind: 'fixed',
      ...name,
      doc: textOf(node, 'doc'),
      sizeBytes,
      aliases: this.#readTypeAliases(node, name),
      properties: propertiesOf(node, schemaKeys),
    });
  }

  #readName(node: JsonObject, namespace: string | undefined): AvroName {
    const text = textOf(node, 'name');
    if (text === undefined) throw this.#problem('the type has no name');
    const name = avroName(text, textOf(node, 'namespace') ?? namespace);
    if (!isValidName(name.name)) throw this.#invalidName(name.name, 'name');
    if (isPrimitiveName(name.fullName)) {
      throw this.#problem(`a type cannot have the name of the primitive type ${name.fullName}`);
    }
    return name;
  }

  /**
   * Makes a type known by its name. A second definition has to be the same; docs and aliases may differ, and are those
   * of the place.
   */
  #define(type: NamedType): NamedType {
    const known = this.#types.get(type.fullName);
    if (known === undefined) {
      this.#types.set(type.fullName, type);
    } else if (!sameDefinition(known, type, this.#budget)) {
      throw this.#problem(`type ${quoted(type.fullName)} is defined twice with different definitions`);
    }
    return type;
  }

  #readTypeAliases(node: JsonObject, name: AvroName): readonly AvroName[] {
    const aliases = this.#readAliases(node).map((alias) => avroName(alias, name.namespace));
    return [...new Map(aliases.map((alias) => [alias.fullName, alias])).values()];
  }

  #readAliases(node: JsonObject): readonly string[] {
    const aliases = node.get('aliases');
    if (aliases === undefined) return [];
    if (!isArray(aliases) || !aliases.every((alias) => typeof alias === 'string')) {
      throw this.#problem('"aliases" must be an array of strings');
    }
    return [...new Set(aliases)];
  }

  #below<T>(token: string | number, read: () => T): T {
    this.#path.push(String(token));
    const result = read();
    this.#path.pop();
    return result;
  }

  #invalidName(name: string, what: string): InvalidSchema {
    return this.#problem(
      `${quoted(name)} is not a valid ${what}; use letters, digits and underscores, and no digit first`,
    );
  }

  #problem(what: string): InvalidSchema {
    return new InvalidSchema(`at ${this.#where()}: ${what}`);
  }

  #where(): string {
    return `/${this.#path.join('/')}`;
  }
}

const noProperties: JsonObject = new Map();

function propertiesOf(node: JsonObject, reserved: ReadonlySet<string>): JsonObject {
  let properties: Map<string, JsonNode> | undefined;
  for (const [key, value] of node) {
    if (reserved.has(key)) continue;
    properties ??= new Map();
    properties.set(key, value);
  }
  return properties ?? noProperties;
}

/** A text, or undefined: other values count as absent, as in the Java library. */
function textOf(node: JsonObject, key: string): string | undefined {
  const value = node.get(key);
  return typeof value === 'string' ? value : undefined;
}

/** Fields of type float and double take numbers as text, such as NaN. Undefined if the text is no number. */
function numericDefault(type: PendingType, node: JsonNode): JsonNode | undefined {
  if ((type.kind !== 'float' && type.kind !== 'double') || typeof node !== 'string') return node;
  return javaNumber(node);
}

function checkBranches(branches: readonly AvroType[], path: string): void {
  const names = new Set<string>();
  for (const branch of branches) {
    if (branch.kind === 'union') {
      throw new InvalidSchema(`at ${path}: a union cannot be a branch of a union`);
    }
    const name = branchName(branch);
    if (names.has(name)) throw new InvalidSchema(`at ${path}: the union has ${quoted(name)} twice`);
    names.add(name);
  }
}

function defaultProblem(field: AvroField, path: string): string {
  const { type } = field;
  const name = type.kind === 'union' ? 'union' : branchName(type);
  return (
    `at ${path}: the default ${quoted(jsonText(field.default ?? null))} of field ${quoted(field.name)} ` +
    `is not a value of its type ${quoted(name)}`
  );
}
