import { isArray, isObject, type JsonNode, JsonNumber, type JsonObject } from '../exact-json.ts';
import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';
import type { AvroField, AvroName, AvroType, NamedType, RecordType } from './avro-type.ts';
import { javaDoubleText, javaFloatText, jsonString, writeJson } from './json-text.ts';
import { logicalProperties } from './logical-type.ts';

interface PrintOptions {
  /** Full names of types that are printed as names from the start. */
  readonly knownNames: Iterable<string>;
  /** Prints what differs in spelling only in one way. */
  readonly normalizes: boolean;
}

/** Prints a schema as `Schema.toString()` of Avro's Java library does. */
export function printSchema(root: AvroType, options: PrintOptions): string {
  return new SchemaPrinter(options).print(root);
}

/** Names that a reference has to write in full, because alone they mean something else. */
const typeNames: ReadonlySet<string> = new Set([
  'record',
  'enum',
  'array',
  'map',
  'union',
  'fixed',
  'string',
  'bytes',
  'int',
  'long',
  'float',
  'double',
  'boolean',
  'null',
]);

class SchemaPrinter {
  readonly #known: Set<string>;
  readonly #normalizes: boolean;
  readonly #parts: string[] = [];
  #depth = 0;

  constructor({ knownNames, normalizes }: PrintOptions) {
    this.#known = new Set(knownNames);
    this.#normalizes = normalizes;
  }

  print(root: AvroType): string {
    this.#type(root, undefined);
    return this.#parts.join('');
  }

  #type(type: AvroType, namespace: string | undefined): void {
    switch (type.kind) {
      case 'record':
      case 'enum':
      case 'fixed':
        this.#named(type, namespace);
        return;
      case 'union':
        this.#deeper(1);
        this.#parts.push('[');
        for (const [at, branch] of type.branches.entries()) {
          if (at > 0) this.#parts.push(',');
          this.#type(branch, namespace);
        }
        this.#parts.push(']');
        this.#depth -= 1;
        return;
      case 'array':
      case 'map':
        this.#deeper(1);
        this.#parts.push(type.kind === 'array' ? '{"type":"array","items":' : '{"type":"map","values":');
        this.#type(type.kind === 'array' ? type.items : type.values, namespace);
        this.#properties(this.#ordered(type));
        this.#parts.push('}');
        this.#depth -= 1;
        return;
      default:
        if (type.properties.size === 0) {
          this.#parts.push(`"${type.kind}"`);
        } else {
          this.#parts.push(`{"type":"${type.kind}"`);
          this.#properties(this.#ordered(type));
          this.#parts.push('}');
        }
    }
  }

  #named(type: NamedType, namespace: string | undefined): void {
    if (this.#known.has(type.fullName)) {
      this.#parts.push(jsonString(qualified(type, namespace)));
      return;
    }
    this.#known.add(type.fullName);
    const kind = type.kind === 'record' && type.isError && !this.#normalizes ? 'error' : type.kind;
    this.#parts.push(`{"type":"${kind}","name":`, jsonString(type.name));
    if (type.namespace !== namespace) this.#parts.push(',"namespace":', jsonString(type.namespace ?? ''));
    if (type.doc !== undefined && !(this.#normalizes && type.doc === '')) {
      this.#parts.push(',"doc":', jsonString(type.doc));
    }
    switch (type.kind) {
      case 'record':
        this.#fields(type);
        break;
      case 'enum':
        this.#strings('symbols', type.symbols);
        if (type.default !== undefined) this.#parts.push(',"default":', jsonString(type.default));
        break;
      case 'fixed':
        this.#parts.push(`,"size":${type.sizeBytes}`);
    }
    this.#properties(this.#ordered(type));
    if (type.aliases.length > 0) this.#strings('aliases', this.#typeAliases(type));
    this.#parts.push('}');
  }

  #fields(record: RecordType): void {
    this.#deeper(3);
    this.#parts.push(',"fields":[');
    for (const field of record.fields) {
      this.#parts.push(field.position > 0 ? ',{"name":' : '{"name":', jsonString(field.name), ',"type":');
      this.#type(field.type, record.namespace);
      if (field.doc !== undefined) this.#parts.push(',"doc":', jsonString(field.doc));
      if (field.default !== undefined) this.#default(field, field.default);
      if (field.order !== 'ascending') this.#parts.push(`,"order":"${field.order}"`);
      if (field.aliases.length > 0) {
        this.#strings('aliases', this.#normalizes ? field.aliases.toSorted(byCodeUnits) : field.aliases);
      }
      this.#properties(this.#normalizes ? sorted(field.properties) : field.properties);
      this.#parts.push('}');
    }
    this.#parts.push(']');
    this.#depth -= 3;
  }

  #default(field: AvroField, node: JsonNode): void {
    this.#parts.push(',"default":');
    writeJson(this.#normalizes ? deepSorted(normalizedDefault(field.type, node)) : node, this.#parts);
  }

  #typeAliases(type: NamedType): readonly string[] {
    const aliases = this.#normalizes
      ? type.aliases.toSorted((a, b) => byCodeUnits(a.fullName, b.fullName))
      : type.aliases;
    return aliases.map((alias) => qualified(alias, type.namespace));
  }

  #ordered(type: Exclude<AvroType, { kind: 'union' }>): JsonObject {
    if (!this.#normalizes || type.properties.size === 0) return type.properties;
    // The properties of a logical type come first, then all others.
    return new Map([...logicalProperties(type), ...sorted(type.properties)]);
  }

  #properties(properties: JsonObject): void {
    for (const [name, value] of properties) {
      this.#parts.push(',', jsonString(name), ':');
      writeJson(this.#normalizes ? deepSorted(value) : value, this.#parts);
    }
  }

  #strings(name: string, values: readonly string[]): void {
    this.#parts.push(`,"${name}":[`, values.map(jsonString).join(','), ']');
  }

  /** Types that follow are printed where they are used first, which may nest deeper than the text that was parsed. */
  #deeper(levels: number): void {
    this.#depth += levels;
    if (this.#depth > registryLimits.avroDepthMax) {
      throw new InvalidSchema(
        `types nest deeper than ${registryLimits.avroDepthMax} levels where each is printed at its first use`,
      );
    }
  }
}

/** How a name is written where names without dots are of `namespace`. */
function qualified(name: AvroName, namespace: string | undefined): string {
  const isOfNamespace = name.namespace !== undefined && name.namespace === namespace;
  return isOfNamespace && !typeNames.has(name.name) ? name.name : name.fullName;
}

function sorted(properties: JsonObject): JsonObject {
  if (properties.size < 2) return properties;
  return new Map([...properties].sort(([a], [b]) => byCodeUnits(a, b)));
}

/** A value in which the keys of every object are in order. */
function deepSorted(node: JsonNode): JsonNode {
  if (isArray(node)) return node.map(deepSorted);
  if (!isObject(node)) return node;
  return new Map([...sorted(node)].map(([key, value]) => [key, deepSorted(value)]));
}

function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A default with its numbers as its type prints them: 1 and 1.0 are the same double. */
function normalizedDefault(type: AvroType, node: JsonNode): JsonNode {
  switch (type.kind) {
    case 'union':
      // Confluent takes the first branch for the type of every default.
      return type.branches[0] === undefined ? node : normalizedDefault(type.branches[0], node);
    case 'float':
    case 'double': {
      if (!(node instanceof JsonNumber) || node.text.startsWith('"')) return node;
      const value = Number(node.text);
      return new JsonNumber(type.kind === 'float' ? javaFloatText(value) : javaDoubleText(value), false);
    }
    case 'array':
      return isArray(node) ? node.map((item) => normalizedDefault(type.items, item)) : node;
    case 'map':
      return isObject(node)
        ? new Map([...node].map(([key, value]) => [key, normalizedDefault(type.values, value)]))
        : node;
    case 'record':
      return isObject(node)
        ? new Map(
            [...node].map(([key, value]) => {
              const field = type.fieldByName.get(key);
              return [key, field === undefined ? value : normalizedDefault(field.type, value)];
            }),
          )
        : node;
    default:
      return node;
  }
}
