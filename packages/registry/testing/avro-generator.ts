import type { Random } from '@weir/core';
import type { AvroType } from '../src/avro/avro-type.ts';
import { branchName } from '../src/avro/avro-type.ts';
import { isArray, isObject, type JsonNode, JsonNumber } from '../src/exact-json.ts';

type Json = Map<string, JsonNode>;

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'];
const namespaces = ['a', 'a.b', 'c', ''];
const symbols = ['RED', 'GREEN', 'BLUE', 'BLACK'];
const logicalTypes = ['date', 'timestamp-millis', 'uuid', 'decimal', 'duration', 'made-up'];
const oddTexts = ['', 'x', 'ü', '"\\\n\u0001', 'a.b', '__proto__', '9', 'int', 'record'];

interface Defined {
  readonly name: string;
  readonly namespace: string;
  readonly isRecord: boolean;
}

/** Generates Avro schemas as JSON, changes of them, and values of them. */
export class AvroGenerator {
  readonly #random: Random;
  #defined: Defined[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A schema, valid in nearly all cases. */
  schema(): JsonNode {
    this.#defined = [];
    this.#names = 0;
    return this.#chance(0.8) ? this.#record('', 3) : this.#type('', 3);
  }

  /** The schema after some changes of the kinds that schemas go through over time. */
  evolved(schema: JsonNode): JsonNode {
    let node = copied(schema);
    for (let times = 1 + this.#below(3); times > 0; times -= 1) node = this.#evolveOnce(node);
    return node;
  }

  /** The schema with something in it that need not be valid. */
  corrupted(schema: JsonNode): JsonNode {
    const node = copied(schema);
    const places = placesOf(node).filter(({ parent }) => parent !== undefined);
    const place = this.#pick(places);
    if (place === undefined) return this.#oddNode(node);
    const { parent, key } = place;
    if (parent instanceof Map) {
      const text = key as string;
      if (this.#chance(0.3)) parent.delete(text);
      else parent.set(text, this.#oddNode(parent.get(text)!));
    } else if (isArray(parent)) {
      const list = parent as JsonNode[];
      const at = key as number;
      const way = this.#below(3);
      if (way === 0) list.push(copied(list[at]!));
      else if (way === 1) list.splice(at, 1);
      else list[at] = this.#oddNode(list[at]!);
    }
    return node;
  }

  /** A value of a type, as decoding returns it. Undefined where the type is too deep to have one. */
  value(type: AvroType, depth = 6): unknown {
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.#chance(0.5);
      case 'int':
        return this.#pick([0, -1, 1, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31), this.#below(1e6)]);
      case 'long':
        return this.#pick([
          0,
          -1,
          2 ** 53 - 1,
          -(2 ** 53 - 1),
          '9007199254740992',
          '9223372036854775807',
          '-9223372036854775808',
          this.#below(2 ** 40),
        ]);
      case 'float':
        return this.#pick([0, 1.5, -0.25, 'NaN', 'Infinity', Math.fround(this.#random.next())]);
      case 'double':
        return this.#pick([0, 1.5, -1e300, 'NaN', '-Infinity', this.#random.next()]);
      case 'bytes':
        return this.#binary(this.#below(5));
      case 'string':
        return this.#pick(['', 'x', 'üñ😀', 'x'.repeat(this.#below(300))]);
      case 'fixed':
        return this.#binary(type.sizeBytes);
      case 'enum':
        return this.#pick(type.symbols);
      case 'union': {
        const found = this.#shuffled(type.branches).find((branch) => depth > 0 || branch.kind === 'null');
        if (found === undefined) return undefined;
        const value = this.value(found, depth - 1);
        if (found.kind === 'null' || value === undefined) return value;
        return Object.fromEntries([[branchName(found), value]]);
      }
      case 'array': {
        const items = Array.from({ length: depth > 0 ? this.#below(4) : 0 }, () =>
          this.value(type.items, depth - 1),
        );
        return items.includes(undefined) ? undefined : items;
      }
      case 'map': {
        const entries = Array.from({ length: depth > 0 ? this.#below(3) : 0 }, (_, at) => [
          this.#pick([`k${at}`, '__proto__', '']),
          this.value(type.values, depth - 1),
        ]);
        return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
      }
      case 'record': {
        if (depth < 0) return undefined;
        const entries = type.fields.map(({ name, type: fieldType }) => [
          name,
          this.value(fieldType, depth - 1),
        ]);
        return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
      }
    }
  }

  #type(namespace: string, depth: number): JsonNode {
    const known = this.#pick(this.#defined);
    if (known !== undefined && this.#chance(0.2)) return this.#reference(known, namespace);
    if (depth === 0 || this.#chance(0.4)) return this.#primitive();
    switch (this.#below(6)) {
      case 0:
        return this.#record(namespace, depth - 1);
      case 1:
        return this.#enum(namespace);
      case 2:
        return this.#fixed(namespace);
      case 3:
        return this.#withProperties(
          new Map<string, JsonNode>([
            ['type', 'array'],
            ['items', this.#type(namespace, depth - 1)],
          ]),
        );
      case 4:
        return this.#withProperties(
          new Map<string, JsonNode>([
            ['type', 'map'],
            ['values', this.#type(namespace, depth - 1)],
          ]),
        );
      default:
        return this.#union(namespace, depth - 1);
    }
  }

  #reference({ name, namespace }: Defined, around: string): string {
    if (namespace === around && this.#chance(0.7)) return name;
    return namespace === '' ? name : `${namespace}.${name}`;
  }

  #primitive(): JsonNode {
    const name = this.#pick(primitives)!;
    return this.#chance(0.8) ? name : this.#withProperties(new Map<string, JsonNode>([['type', name]]));
  }

  #union(namespace: string, depth: number): JsonNode {
    const branches: JsonNode[] = [];
    const kinds = new Set<string>();
    for (let count = 1 + this.#below(3); count > 0; count -= 1) {
      const branch = this.#type(namespace, depth);
      if (isArray(branch)) continue;
      const kind = typeof branch === 'string' ? branch : String((branch as Json).get('type'));
      const isNamed = isObject(branch) && branch.has('name');
      if (!isNamed && kinds.has(kind)) continue;
      kinds.add(kind);
      branches.push(branch);
    }
    if (!kinds.has('null') && this.#chance(0.5)) branches.unshift('null');
    return branches;
  }

  #named(kind: string, namespace: string): { node: Json; inner: string; name: string } {
    this.#names += 1;
    const own = this.#chance(0.3) ? this.#pick(namespaces)! : undefined;
    const inner = own ?? namespace;
    const name = this.#chance(0.9)
      ? `${kind[0]!.toUpperCase()}${this.#names}`
      : this.#pick(['Same', 'array', 'ü'])!;
    const node: Json = new Map([['type', kind]]);
    if (own !== undefined && own !== '' && this.#chance(0.4)) {
      node.set('name', `${own}.${name}`);
    } else {
      node.set('name', name);
      if (own !== undefined) node.set('namespace', own);
    }
    if (this.#chance(0.2)) node.set('doc', this.#pick(oddTexts)!);
    if (this.#chance(0.2))
      node.set('aliases', [this.#pick(['Old', 'a.Old', '.Old', 'Same', 'a.b.R1', 'R1'])!]);
    return { node, inner, name };
  }

  #record(namespace: string, depth: number): JsonNode {
    const { node, inner, name } = this.#named(this.#chance(0.95) ? 'record' : 'error', namespace);
    const defined = { name, namespace: inner, isRecord: true };
    // Known to its own fields, and so recursive.
    if (this.#chance(0.3)) this.#defined.push(defined);
    const fields: JsonNode[] = [];
    for (let count = this.#below(5); count > 0; count -= 1)
      fields.push(this.#field(`f${count}`, inner, depth));
    node.set('fields', fields);
    if (!this.#defined.includes(defined)) this.#defined.push(defined);
    return this.#withProperties(node);
  }

  #field(name: string, namespace: string, depth: number): Json {
    const type = this.#type(namespace, depth);
    const field: Json = new Map<string, JsonNode>([
      ['name', name],
      ['type', type],
    ]);
    if (this.#chance(0.4)) {
      const value = this.#default(type);
      if (value !== undefined) field.set('default', value);
    }
    if (this.#chance(0.1)) field.set('doc', this.#pick(oddTexts)!);
    if (this.#chance(0.1)) field.set('order', this.#pick(['ascending', 'descending', 'IGNORE'])!);
    if (this.#chance(0.15)) field.set('aliases', [this.#pick(['f1', 'g1', 'g2', 'g3', 'g4'])!]);
    return this.#withProperties(field);
  }

  #default(type: JsonNode): JsonNode | undefined {
    if (isArray(type)) return type.length === 0 ? undefined : this.#default(this.#pick(type)!);
    const name = isObject(type) ? type.get('type')! : type;
    switch (name) {
      case 'null':
        return null;
      case 'boolean':
        return true;
      case 'int':
        return new JsonNumber(this.#pick(['0', '-7', '2147483647'])!, true);
      case 'long':
        return new JsonNumber(this.#pick(['1', '9223372036854775807', '-9223372036854775808'])!, true);
      case 'float':
      case 'double':
        return this.#pick<JsonNode>([
          new JsonNumber('1', true),
          new JsonNumber('1.5', false),
          new JsonNumber('1.0E10', false),
          'NaN',
        ]);
      case 'bytes':
      case 'string':
        return this.#pick(oddTexts)!;
      case 'enum':
        return this.#pick((type as Json).get('symbols') as readonly string[]) ?? '';
      case 'fixed':
        return '\u0000';
      case 'array':
        return [];
      case 'map':
        return new Map();
      case 'record':
        return new Map();
      default:
        return undefined;
    }
  }

  #enum(namespace: string): JsonNode {
    const { node, inner, name } = this.#named('enum', namespace);
    const chosen = this.#shuffled(symbols).slice(0, 1 + this.#below(4));
    node.set('symbols', chosen);
    if (this.#chance(0.3)) node.set('default', this.#pick(chosen)!);
    this.#defined.push({ name, namespace: inner, isRecord: false });
    return this.#withProperties(node);
  }

  #fixed(namespace: string): JsonNode {
    const { node, inner, name } = this.#named('fixed', namespace);
    node.set('size', new JsonNumber(String(this.#pick([0, 4, 12, 16])), true));
    this.#defined.push({ name, namespace: inner, isRecord: false });
    return this.#withProperties(node);
  }

  #withProperties(node: Json): Json {
    if (this.#chance(0.85)) return node;
    if (this.#chance(0.5)) node.set('logicalType', this.#pick(logicalTypes)!);
    if (this.#chance(0.3)) node.set('precision', new JsonNumber('4', true));
    if (this.#chance(0.3)) node.set('z.custom', [null, true, new JsonNumber('0.001', false), 'ü']);
    if (this.#chance(0.3)) node.set('__proto__', new Map<string, JsonNode>([['1', 'x']]));
    return node;
  }

  #evolveOnce(root: JsonNode): JsonNode {
    const places = placesOf(root);
    const records = places.filter(({ node }) => isObject(node) && isArray(node.get('fields')));
    const enums = places.filter(({ node }) => isObject(node) && isArray(node.get('symbols')));
    const fixeds = places.filter(({ node }) => isObject(node) && node.get('size') !== undefined);
    const unions = places.filter(({ node, key }) => isArray(node) && key === 'type');
    const types = places.filter(({ key }) => key === 'type' || key === 'items' || key === 'values');
    const record = this.#pick(records)?.node as Json | undefined;
    const fields = record?.get('fields') as Json[] | undefined;
    switch (this.#below(12)) {
      case 0: {
        fields?.splice(this.#below(fields.length + 1), 0, this.#field(`g${this.#below(4)}`, '', 1));
        break;
      }
      case 1:
        if (fields && fields.length > 0) fields.splice(this.#below(fields.length), 1);
        break;
      case 2:
        if (fields && fields.length > 1) fields.reverse();
        break;
      case 3: {
        const field = this.#pick(fields ?? []);
        if (field) {
          if (this.#chance(0.5)) field.set('aliases', [field.get('name')!]);
          field.set('name', `g${this.#below(4)}`);
        }
        break;
      }
      case 4: {
        const named = this.#pick([...records, ...enums, ...fixeds])?.node as Json | undefined;
        if (named) {
          if (this.#chance(0.5)) named.set('aliases', [named.get('name')!]);
          named.set('name', `N${this.#below(3)}`);
        }
        break;
      }
      case 5: {
        const named = this.#pick([...records, ...enums, ...fixeds])?.node as Json | undefined;
        named?.set('namespace', this.#pick(namespaces)!);
        break;
      }
      case 6: {
        const node = this.#pick(enums)?.node as Json | undefined;
        node?.set('symbols', this.#shuffled(symbols).slice(0, 1 + this.#below(4)));
        if (this.#chance(0.7)) node?.delete('default');
        break;
      }
      case 7:
        (this.#pick(fixeds)?.node as Json | undefined)?.set('size', new JsonNumber('8', true));
        break;
      case 8: {
        const branches = this.#pick(unions)?.node as JsonNode[] | undefined;
        if (branches && branches.length > 0) {
          if (this.#chance(0.5)) branches.splice(this.#below(branches.length), 1);
          else branches.push(this.#primitive());
        }
        break;
      }
      case 9:
      case 10: {
        // Promotions, and what is none.
        const place = this.#pick(types.filter(({ node }) => typeof node === 'string'));
        if (place?.parent instanceof Map && primitives.includes(place.node as string)) {
          place.parent.set(place.key as string, this.#pick(primitives)!);
        }
        break;
      }
      default: {
        // To a union, or back from it.
        const place = this.#pick(types);
        if (place?.parent instanceof Map && place.parent.has('name')) {
          const node = place.node;
          const key = place.key as string;
          if (isArray(node)) {
            if (node.length > 0) place.parent.set(key, this.#pick(node)!);
          } else {
            place.parent.set(key, node === 'null' ? [node] : ['null', node]);
          }
        }
      }
    }
    return root;
  }

  #oddNode(node: JsonNode): JsonNode {
    switch (this.#below(6)) {
      case 0:
        return this.#pick(oddTexts)!;
      case 1:
        return this.#pick<JsonNode>([
          null,
          true,
          new JsonNumber('-1', true),
          new JsonNumber('3000000000', true),
          new JsonNumber('0.5', false),
        ])!;
      case 2:
        return [];
      case 3:
        return new Map();
      case 4:
        return [copied(node), copied(node)];
      default:
        return this.#type('', 1);
    }
  }

  #binary(length: number): string {
    return Array.from({ length }, () => String.fromCharCode(this.#below(256))).join('');
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  #below(count: number): number {
    return this.#random.below(count);
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[this.#below(from.length)];
  }

  #shuffled<T>(from: readonly T[]): T[] {
    return from
      .map((item) => ({ item, rank: this.#random.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

interface Place {
  readonly node: JsonNode;
  readonly parent: JsonNode | undefined;
  readonly key: string | number | undefined;
}

function placesOf(root: JsonNode): Place[] {
  const places: Place[] = [{ node: root, parent: undefined, key: undefined }];
  for (const { node } of places) {
    if (isArray(node)) {
      places.push(...node.map((item, key) => ({ node: item, parent: node, key })));
    } else if (isObject(node)) {
      places.push(...[...node].map(([key, value]) => ({ node: value, parent: node, key })));
    }
  }
  return places;
}

function copied(node: JsonNode): JsonNode {
  if (isArray(node)) return node.map(copied);
  if (isObject(node)) return new Map([...node].map(([key, value]) => [key, copied(value)]));
  return node;
}
