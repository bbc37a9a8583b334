import { isArray, isObject, type JsonNode, JsonNumber, type JsonObject } from '../../exact-json.ts';
import { isSince } from '../drafts.ts';
import { keywordIn } from '../keyword-rules.ts';
import type { SchemaDocuments, SchemaTree } from '../schema-documents.ts';
import {
  containsCheck,
  itemCountCheck,
  itemsCheck,
  unevaluatedItemsCheck,
  uniqueItemsCheck,
} from './array-checks.ts';
import { allOfCheck, anyOfCheck, conditionalCheck, notCheck, noting, oneOfCheck } from './combined-checks.ts';
import {
  dependentRequiredCheck,
  dependentSchemaCheck,
  propertiesCheck,
  propertyCountCheck,
  propertyNamesCheck,
  requiredCheck,
  unevaluatedPropertiesCheck,
} from './object-checks.ts';
import {
  boundCheck,
  maxLengthCheck,
  minLengthCheck,
  multipleOfCheck,
  patternCheck,
  searchOf,
} from './string-checks.ts';
import type { Check } from './validation-run.ts';
import { keyOfTree, keyOfValue } from './value-keys.ts';

/** The check of a schema, made once and used for many payloads. Parts of it are made when a value first needs them. */
export function validatorOf(documents: SchemaDocuments): Check {
  const maker = new CheckMaker(documents);
  return maker.checkOf(documents.root);
}

const anything: Check = () => true;
const nothing: Check = (_, run) => run.fail('is not allowed');

/** Checks by the type of value that they are for. */
interface Checks {
  readonly any: Check[];
  readonly string: Check[];
  readonly number: Check[];
  readonly object: Check[];
  readonly array: Check[];
}

class CheckMaker {
  readonly #documents: SchemaDocuments;
  readonly #checks = new Map<JsonObject, Check>();

  constructor(documents: SchemaDocuments) {
    this.#documents = documents;
  }

  checkOf(tree: SchemaTree | JsonNode): Check {
    if (!isObject(tree)) return tree === false ? nothing : anything;
    const known = this.#checks.get(tree);
    if (known !== undefined) return known;
    let made: Check | undefined;
    const check: Check = (value, run) => {
      if (made === undefined) {
        run.made();
        made = this.#make(tree);
      }
      return made(value, run);
    };
    this.#checks.set(tree, check);
    return check;
  }

  #make(schema: JsonObject): Check {
    const { draft, target } = this.#documents.contextOf(schema);
    const checks: Checks = { any: [], string: [], number: [], object: [], array: [] };
    if (target !== undefined) {
      const check = this.checkOf(target);
      checks.any.push((value, run) => run.apply(check, value));
    }
    if (target === undefined || isSince(draft, '2019-09')) {
      const get = (name: string) => (keywordIn(draft, name) === undefined ? undefined : schema.get(name));
      this.#addGeneral(schema, get, isSince(draft, 'draft-06'), checks);
      addStrings(get, checks.string);
      addNumbers(get, draft === 'draft-04', checks.number);
      this.#addObjects(get, checks.object);
      this.#addArrays(get, draft === '2020-12', checks.array);
    }
    const check = checkOfTypes(checks);
    return this.#documents.hasUnevaluated ? noting(check) : check;
  }

  #addGeneral(schema: JsonObject, get: Get, hasConst: boolean, { any }: Checks): void {
    const type = get('type');
    if (type !== undefined) any.push(typeCheck((isArray(type) ? type : [type]) as readonly string[]));
    const values = get('enum');
    if (isArray(values)) any.push(valuesCheck(values));
    const constant = hasConst ? schema.get('const') : undefined;
    if (constant !== undefined) any.push(valuesCheck([constant]));
    const checksOf = (trees: JsonNode | undefined) =>
      isArray(trees) ? trees.map((tree) => this.checkOf(tree)) : undefined;
    const allOf = checksOf(get('allOf'));
    if (allOf !== undefined) any.push(allOfCheck(allOf));
    const anyOf = checksOf(get('anyOf'));
    if (anyOf !== undefined) any.push(anyOfCheck(anyOf));
    const oneOf = checksOf(get('oneOf'));
    if (oneOf !== undefined) any.push(oneOfCheck(oneOf));
    const negated = this.#optional(get('not'));
    if (negated !== undefined) any.push(notCheck(negated));
    const condition = this.#optional(get('if'));
    if (condition !== undefined)
      any.push(conditionalCheck(condition, this.#optional(get('then')), this.#optional(get('else'))));
  }

  #addObjects(get: Get, checks: Check[]): void {
    addCount(get('maxProperties'), checks, (limit) => propertyCountCheck(limit, 'max'));
    addCount(get('minProperties'), checks, (limit) => propertyCountCheck(limit, 'min'));
    const required = get('required');
    if (isArray(required)) checks.push(requiredCheck(required as readonly string[]));
    const named = entriesOf(get('properties'));
    const patterns = entriesOf(get('patternProperties'));
    const additional = this.#optional(get('additionalProperties'));
    if (named.length > 0 || patterns.length > 0 || additional !== undefined) {
      checks.push(
        propertiesCheck({
          named: new Map(named.map(([name, tree]) => [name, this.checkOf(tree)])),
          patterns: patterns.map(([pattern, tree]) => ({
            pattern,
            search: searchOf(pattern),
            check: this.checkOf(tree),
          })),
          additional,
        }),
      );
    }
    const names = this.#optional(get('propertyNames'));
    if (names !== undefined) checks.push(propertyNamesCheck(names));
    for (const keyword of ['dependencies', 'dependentRequired', 'dependentSchemas']) {
      for (const [property, value] of entriesOf(get(keyword))) {
        checks.push(
          isArray(value)
            ? dependentRequiredCheck(property, value as readonly string[])
            : dependentSchemaCheck(property, this.checkOf(value)),
        );
      }
    }
    const unevaluated = this.#optional(get('unevaluatedProperties'));
    if (unevaluated !== undefined) checks.push(unevaluatedPropertiesCheck(unevaluated));
  }

  #addArrays(get: Get, hasPrefixItems: boolean, checks: Check[]): void {
    addCount(get('maxItems'), checks, (limit) => itemCountCheck(limit, 'max'));
    addCount(get('minItems'), checks, (limit) => itemCountCheck(limit, 'min'));
    const items = get('items');
    const first = hasPrefixItems ? get('prefixItems') : isArray(items) ? items : undefined;
    const others = hasPrefixItems || !isArray(items) ? items : get('additionalItems');
    if (first !== undefined || others !== undefined) {
      const firstChecks = isArray(first) ? first.map((tree) => this.checkOf(tree)) : [];
      checks.push(itemsCheck(firstChecks, this.#optional(others)));
    }
    const contained = this.#optional(get('contains'));
    if (contained !== undefined) {
      const min = numberOf(get('minContains')) ?? 1;
      const max = numberOf(get('maxContains')) ?? Number.POSITIVE_INFINITY;
      checks.push(containsCheck(contained, { min, max, notes: hasPrefixItems }));
    }
    if (get('uniqueItems') === true) checks.push(uniqueItemsCheck);
    const unevaluated = this.#optional(get('unevaluatedItems'));
    if (unevaluated !== undefined) checks.push(unevaluatedItemsCheck(unevaluated));
  }

  #optional(tree: JsonNode | undefined): Check | undefined {
    return tree === undefined ? undefined : this.checkOf(tree);
  }
}

/** Reads a keyword that the draft knows. */
type Get = (name: string) => JsonNode | undefined;

function addStrings(get: Get, checks: Check[]): void {
  addCount(get('maxLength'), checks, maxLengthCheck);
  addCount(get('minLength'), checks, minLengthCheck);
  const pattern = get('pattern');
  if (typeof pattern === 'string') checks.push(patternCheck(pattern));
}

function addNumbers(get: Get, hasBooleans: boolean, checks: Check[]): void {
  const add = (name: string, fits: (order: number) => boolean, meaning: string) => {
    const limit = get(name);
    if (limit instanceof JsonNumber) checks.push(boundCheck(limit.text, fits, meaning));
  };
  const isExclusive = (name: string) => hasBooleans && get(name) === true;
  if (isExclusive('exclusiveMaximum')) add('maximum', isBelow, 'below');
  else add('maximum', (order) => order <= 0, 'at most');
  if (isExclusive('exclusiveMinimum')) add('minimum', isAbove, 'above');
  else add('minimum', (order) => order >= 0, 'at least');
  add('exclusiveMaximum', isBelow, 'below');
  add('exclusiveMinimum', isAbove, 'above');
  const multiple = get('multipleOf');
  if (multiple instanceof JsonNumber) checks.push(multipleOfCheck(multiple.text));
}

const isBelow = (order: number) => order < 0;
const isAbove = (order: number) => order > 0;

function typeCheck(names: readonly string[]): Check {
  const types = new Set(names);
  const isInteger = types.has('integer') && !types.has('number');
  const problem = `must be ${names.join(' or ')}`;
  return (value, run) => {
    const type = typeOf(value);
    const fits = types.has(type) || (isInteger && Number.isInteger(value));
    return fits || run.fail(problem);
  };
}

function valuesCheck(values: readonly JsonNode[]): Check {
  const keys = new Set(values.map(keyOfTree));
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const hasArrays = values.some(isArray);
  const hasObjects = values.some(isObject);
  return (value, run) => {
    if (typeof value === 'string') {
      run.work(value.length / 256);
      return texts.has(value) || run.fail(notAllowed);
    }
    // Large values are not written out where none could be the same.
    if (typeof value === 'object' && value !== null && !(Array.isArray(value) ? hasArrays : hasObjects))
      return run.fail(notAllowed);
    const key = keyOfValue(value);
    run.work(1 + key.length / 2);
    return keys.has(key) || run.fail(notAllowed);
  };
}

const notAllowed = 'is not one of the allowed values';

function checkOfTypes({ any, string, number, object, array }: Checks): Check {
  const hasTyped = string.length + number.length + object.length + array.length > 0;
  const forType: Readonly<Record<string, readonly Check[]>> = { string, number, object, array };
  return (value, run) => {
    run.work(any.length / 4);
    for (const check of any) if (!check(value, run)) return false;
    if (!hasTyped) return true;
    const typed = forType[typeOf(value)];
    if (typed === undefined) return true;
    run.work(typed.length / 4);
    for (const check of typed) if (!check(value, run)) return false;
    return true;
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function addCount(tree: JsonNode | undefined, checks: Check[], make: (limit: number) => Check): void {
  const limit = numberOf(tree);
  if (limit !== undefined) checks.push(make(limit));
}

function numberOf(tree: JsonNode | undefined): number | undefined {
  return tree instanceof JsonNumber ? Number(tree.text) : undefined;
}

function entriesOf(tree: JsonNode | undefined): readonly (readonly [string, JsonNode])[] {
  return isObject(tree) ? [...tree] : [];
}
