import { compileSearch, type Search } from '@weir/cluster';
import { isArray, isObject, type JsonNode, JsonNumber, type JsonObject } from '../../exact-json.ts';
import { type Decimal, decimalOf } from '../decimal.ts';
import { type Draft, isSince } from '../drafts.ts';
import { keywordIn, type TypeName } from '../keyword-rules.ts';
import type { TreeKeys } from '../print-json.ts';
import type { SchemaDocuments, SchemaTree } from '../schema-documents.ts';

/**
 * A schema as the comparison sees it: of exactly one kind. An object that has keywords of several kinds, such as `type`
 * and `enum`, is a combination of them that all must hold; several types are alternatives.
 */
export type Shape = (
  | { readonly kind: 'anything' | 'nothing' | 'boolean' | 'null' | 'conditional' }
  | StringShape
  | NumberShape
  | ObjectShape
  | ArrayShape
  | { readonly kind: 'enum'; readonly values: ReadonlySet<number> }
  | { readonly kind: 'const'; readonly value: number }
  | { readonly kind: 'not'; readonly negated: LazyShape }
  | CombinedShape
) & { readonly labels: Labels };

/** Subschemas become shapes when they are compared, so that recursive schemas have an end. */
export type LazyShape = () => Shape;

export interface StringShape {
  readonly kind: 'string';
  readonly maxLength: Decimal | undefined;
  readonly minLength: Decimal | undefined;
  readonly pattern: string | undefined;
}

export interface NumberShape {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly maximum: Decimal | undefined;
  readonly minimum: Decimal | undefined;
  readonly exclusiveMaximum: Decimal | undefined;
  readonly exclusiveMinimum: Decimal | undefined;
  readonly multipleOf: Decimal | undefined;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly properties: ReadonlyMap<string, Property>;
  readonly required: ReadonlySet<string>;
  readonly patternProperties: readonly { readonly search: () => Search; readonly shape: LazyShape }[];
  readonly additional: Permission;
  readonly unevaluated: LazyShape | undefined;
  readonly requiredBy: ReadonlyMap<string, ReadonlySet<string>>;
  readonly schemasBy: ReadonlyMap<string, LazyShape>;
  readonly maxProperties: Decimal | undefined;
  readonly minProperties: Decimal | undefined;
}

export interface Property {
  readonly shape: LazyShape;
  readonly hasDefault: boolean;
}

export interface ArrayShape {
  readonly kind: 'array';
  readonly items: LazyShape | undefined;
  readonly firstItems: readonly LazyShape[];
  readonly additional: Permission;
  readonly unevaluated: LazyShape | undefined;
  readonly maxItems: Decimal | undefined;
  readonly minItems: Decimal | undefined;
  readonly maxContains: Decimal | undefined;
  readonly minContains: Decimal | undefined;
  readonly hasUniqueItems: boolean;
}

/** What `additionalProperties` or `additionalItems` says. */
export interface Permission {
  readonly isPermitted: boolean;
  readonly shape: LazyShape | undefined;
}

export interface CombinedShape {
  readonly kind: 'combined';
  readonly criterion: 'allOf' | 'anyOf' | 'oneOf';
  readonly subschemas: readonly LazyShape[];
  /** The same without subschemas that are equal to one before. */
  readonly distinct: readonly LazyShape[];
}

/** What is compared, but never makes schemas incompatible. */
interface Labels {
  readonly id: JsonNode | undefined;
  readonly title: JsonNode | undefined;
  readonly description: JsonNode | undefined;
  /** The number of the default among the values of both schemas. */
  readonly defaultValue: number | undefined;
  readonly isConnectBytes: boolean;
}

const stringKeywords = ['minLength', 'maxLength', 'pattern', 'format'];
const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const objectKeywords = [
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'unevaluatedProperties',
];
const arrayKeywords = [
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
];

/** Keywords that say something about values of one type. */
const conditions: readonly (readonly [TypeName, readonly string[]])[] = [
  ['array', arrayKeywords],
  ['object', objectKeywords],
  ['number', numberKeywords],
  ['string', stringKeywords],
];
const typesByKeyword = new Map(
  conditions.flatMap(([type, names]) => names.map((name) => [name, type] as const)),
);
const otherConditions = new Set(['type', 'enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if']);

const noLabels: Labels = {
  id: undefined,
  title: undefined,
  description: undefined,
  defaultValue: undefined,
  isConnectBytes: false,
};
const anything: Shape = { kind: 'anything', labels: noLabels };
const nothing: Shape = { kind: 'nothing', labels: noLabels };

/** Makes the shapes of one schema. */
export class Shapes {
  readonly #documents: SchemaDocuments;
  readonly #keys: TreeKeys;
  readonly #shapes = new Map<JsonObject, Shape>();

  /** `keys` is shared by the schemas that are compared. */
  constructor(documents: SchemaDocuments, keys: TreeKeys) {
    this.#documents = documents;
    this.#keys = keys;
  }

  get root(): Shape {
    return this.#shapeOf(this.#documents.root);
  }

  #lazily(tree: JsonNode | undefined): LazyShape {
    return () => this.#shapeOf(tree as SchemaTree);
  }

  #shapeOf(tree: SchemaTree): Shape {
    if (typeof tree === 'boolean') return tree ? anything : nothing;
    const { draft, target } = this.#documents.contextOf(tree);
    const hasOnlyReference = !isSince(draft, '2019-09') || !hasConditions(tree);
    // References that lead only to each other are invalid, so that this ends.
    if (target !== undefined && hasOnlyReference) return this.#shapeOf(target);
    let shape = this.#shapes.get(tree);
    if (shape === undefined) {
      shape = this.#make(tree, draft, target);
      this.#shapes.set(tree, shape);
    }
    return shape;
  }

  #make(schema: JsonObject, draft: Draft, target: SchemaTree | undefined): Shape {
    const get = (name: string) => (keywordIn(draft, name) === undefined ? undefined : schema.get(name));
    const parts: Shape[] = [];
    if (target !== undefined) parts.push(this.#combined('allOf', [target]));
    const values = get('enum');
    if (isArray(values)) {
      const keys = new Set(values.map((value) => this.#keys.keyOf(value)));
      parts.push({ kind: 'enum', values: keys, labels: noLabels });
    }
    for (const criterion of ['allOf', 'anyOf', 'oneOf'] as const) {
      const subschemas = get(criterion);
      if (isArray(subschemas)) parts.push(this.#combined(criterion, subschemas));
    }
    if (schema.has('not'))
      parts.push({ kind: 'not', negated: this.#lazily(schema.get('not')), labels: noLabels });
    const constant = isSince(draft, 'draft-06') ? schema.get('const') : undefined;
    if (constant !== undefined)
      parts.push({ kind: 'const', value: this.#keys.keyOf(constant), labels: noLabels });
    const hasBranch = get('then') !== undefined || get('else') !== undefined;
    if (get('if') !== undefined && hasBranch) parts.push({ kind: 'conditional', labels: noLabels });
    parts.push(...this.#typed(schema, draft, get));

    const labels = this.#labelsOf(schema, draft);
    const [first] = parts;
    if (first === undefined) return { kind: 'anything', labels };
    if (parts.length === 1) return { ...first, labels };
    const subschemas = parts.map((part) => () => part);
    return { kind: 'combined', criterion: 'allOf', subschemas, distinct: subschemas, labels };
  }

  /** The conditions on one type of values each: of the types that are named, and of the other types. */
  #typed(schema: JsonObject, draft: Draft, get: Get): Shape[] {
    const type = schema.get('type');
    const names = (isArray(type) ? type : type === undefined ? [] : [type]) as readonly TypeName[];
    const shapes = names.map((name) => this.#ofType(name, draft, get));
    const typed: Shape[] = [];
    if (isArray(type)) {
      const alternatives = shapes.map((shape) => () => shape);
      typed.push({
        kind: 'combined',
        criterion: 'anyOf',
        subschemas: alternatives,
        distinct: alternatives,
        labels: noLabels,
      });
    } else typed.push(...shapes);
    const others = new Set<TypeName>();
    for (const keyword of schema.keys()) {
      const name = typesByKeyword.get(keyword);
      const isNamed = names.some((known) => known === name || (known === 'integer' && name === 'number'));
      if (name !== undefined && !isNamed && keywordIn(draft, keyword) !== undefined) others.add(name);
    }
    for (const [name] of conditions) {
      if (others.has(name)) typed.push(this.#ofType(name, draft, get));
    }
    return typed;
  }

  #ofType(name: TypeName, draft: Draft, get: Get): Shape {
    switch (name) {
      case 'string':
        return { ...this.#string(get), labels: noLabels };
      case 'integer':
      case 'number':
        return { ...this.#number(name === 'integer', draft, get), labels: noLabels };
      case 'object':
        return { ...this.#object(get), labels: noLabels };
      case 'array':
        return { ...this.#array(draft, get), labels: noLabels };
      case 'boolean':
      case 'null':
        return { kind: name, labels: noLabels };
    }
  }

  #string(get: Get): StringShape {
    const pattern = get('pattern');
    return {
      kind: 'string',
      maxLength: decimal(get('maxLength')),
      minLength: decimal(get('minLength')),
      pattern: typeof pattern === 'string' ? pattern : undefined,
    };
  }

  #number(isInteger: boolean, draft: Draft, get: Get): NumberShape {
    const maximum = decimal(get('maximum'));
    const minimum = decimal(get('minimum'));
    // In draft 4, the keyword says whether the bound itself is excluded.
    const bound = (name: string, usual: Decimal | undefined) =>
      draft === 'draft-04' ? (get(name) === true ? usual : undefined) : decimal(get(name));
    return {
      kind: 'number',
      isInteger,
      maximum,
      minimum,
      exclusiveMaximum: bound('exclusiveMaximum', maximum),
      exclusiveMinimum: bound('exclusiveMinimum', minimum),
      multipleOf: decimal(get('multipleOf')),
    };
  }

  #object(get: Get): ObjectShape {
    const requiredBy = new Map<string, ReadonlySet<string>>();
    const schemasBy = new Map<string, LazyShape>();
    for (const name of ['dependencies', 'dependentRequired', 'dependentSchemas']) {
      for (const [property, value] of entries(get(name))) {
        if (isArray(value)) requiredBy.set(property, new Set(value as readonly string[]));
        else schemasBy.set(property, this.#lazily(value));
      }
    }
    const required = get('required');
    const unevaluated = get('unevaluatedProperties');
    return {
      kind: 'object',
      properties: new Map(
        entries(get('properties')).map(([name, tree]) => [
          name,
          { shape: this.#lazily(tree), hasDefault: isObject(tree) && tree.has('default') },
        ]),
      ),
      required: new Set(isArray(required) ? (required as readonly string[]) : []),
      patternProperties: entries(get('patternProperties')).map(([pattern, tree]) => ({
        search: once(() => compileSearch(pattern)),
        shape: this.#lazily(tree),
      })),
      additional: this.#permission(get('additionalProperties')),
      unevaluated: unevaluated === undefined ? undefined : this.#lazily(unevaluated),
      requiredBy,
      schemasBy,
      maxProperties: decimal(get('maxProperties')),
      minProperties: decimal(get('minProperties')),
    };
  }

  #array(draft: Draft, get: Get): ArrayShape {
    const items = get('items');
    const firstItems = get('prefixItems') ?? (isArray(items) ? items : undefined);
    // In 2020-12, `items` next to `prefixItems` is what `additionalItems` was. A boolean alone is a permission too.
    const isAdditional = draft === '2020-12' && (firstItems !== undefined || typeof items === 'boolean');
    const isForAll = items !== undefined && !isArray(items) && !isAdditional;
    const unevaluated = get('unevaluatedItems');
    return {
      kind: 'array',
      items: isForAll ? this.#lazily(items) : undefined,
      firstItems: isArray(firstItems) ? firstItems.map((tree) => this.#lazily(tree)) : [],
      additional: this.#permission(isAdditional ? items : get('additionalItems')),
      unevaluated: unevaluated === undefined ? undefined : this.#lazily(unevaluated),
      maxItems: decimal(get('maxItems')),
      minItems: decimal(get('minItems')),
      maxContains: decimal(get('maxContains')),
      minContains: decimal(get('minContains')),
      hasUniqueItems: get('uniqueItems') === true,
    };
  }

  #permission(tree: JsonNode | undefined): Permission {
    return { isPermitted: tree !== false, shape: isObject(tree) ? this.#lazily(tree) : undefined };
  }

  #combined(criterion: CombinedShape['criterion'], trees: readonly JsonNode[]): Shape {
    const distinct = new Map(trees.map((tree) => [this.#keys.keyOf(tree), tree]));
    return {
      kind: 'combined',
      criterion,
      subschemas: trees.map((tree) => this.#lazily(tree)),
      distinct: [...distinct.values()].map((tree) => this.#lazily(tree)),
      labels: noLabels,
    };
  }

  #labelsOf(schema: JsonObject, draft: Draft): Labels {
    const value = schema.get('default');
    return {
      id: schema.get(draft === 'draft-04' ? 'id' : '$id'),
      title: schema.get('title'),
      description: schema.get('description'),
      defaultValue: value === undefined ? undefined : this.#keys.keyOf(value),
      isConnectBytes: schema.get('connect.type') === 'bytes',
    };
  }
}

/** Reads a keyword that the draft knows. */
type Get = (name: string) => JsonNode | undefined;

function hasConditions(schema: JsonObject): boolean {
  return schema.keys().some((name) => otherConditions.has(name) || typesByKeyword.has(name));
}

function entries(tree: JsonNode | undefined): readonly (readonly [string, JsonNode])[] {
  return isObject(tree) ? [...tree] : [];
}

function decimal(tree: JsonNode | undefined): Decimal | undefined {
  return tree instanceof JsonNumber ? decimalOf(tree.text) : undefined;
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
