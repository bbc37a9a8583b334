import { isArray, isObject, type JsonNode, JsonNumber, type JsonObject } from '../exact-json.ts';
import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';
import type { AvroField, AvroType, PendingType } from './avro-type.ts';
import type { ValidationBudget } from './validation-budget.ts';

const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/**
 * Whether defaults of fields fit their types, by the rules of Avro 1.12 for Java: the default of a union may be of any
 * branch, texts fit every enum and fixed, and a record may leave out fields that have defaults themselves.
 */
export class DefaultValidator {
  readonly #budget: ValidationBudget;
  /** Results of objects and arrays by type, so that nested unions are not tried again and again. */
  readonly #results = new Map<JsonNode, Map<PendingType, boolean>>();
  /** Fields whose own default was checked, or is being checked. */
  readonly #fields = new Map<AvroField, 'checking' | 'valid' | 'invalid'>();
  #depth = 0;

  constructor(budget: ValidationBudget) {
    this.#budget = budget;
  }

  isValidDefault(field: AvroField): boolean {
    if (field.default === undefined) return false;
    const state = this.#fields.get(field);
    // A default that needs itself would never end.
    if (state !== undefined) return state === 'valid';
    this.#fields.set(field, 'checking');
    const valid = this.#isValid(field.type, field.default);
    this.#fields.set(field, valid ? 'valid' : 'invalid');
    return valid;
  }

  #isValid(type: PendingType, node: JsonNode): boolean {
    this.#budget.step();
    switch (type.kind) {
      case 'string':
      case 'bytes':
      case 'enum':
      case 'fixed':
        return typeof node === 'string';
      case 'int':
        return isIntegerWithin(node, -(2n ** 31n), 2n ** 31n - 1n);
      case 'long':
        return isIntegerWithin(node, longMin, longMax);
      case 'float':
      case 'double':
        return node instanceof JsonNumber;
      case 'boolean':
        return typeof node === 'boolean';
      case 'null':
        return node === null;
      case 'unresolved':
        // As in the Java library, which has a record without fields in its place.
        return isObject(node);
      case 'union':
        return this.#remembered(type, node, () =>
          type.branches.some((branch) => this.#isValid(branch, node)),
        );
      case 'array':
        return (
          isArray(node) &&
          this.#remembered(type, node, () => node.every((item) => this.#isValid(type.items, item)))
        );
      case 'map':
        return (
          isObject(node) &&
          this.#remembered(type, node, () => everyValue(node, (value) => this.#isValid(type.values, value)))
        );
      case 'record':
        return isObject(node) && this.#remembered(type, node, () => this.#isValidRecord(type.fields, node));
    }
  }

  #isValidRecord(fields: readonly AvroField[], node: JsonObject): boolean {
    return fields.every((field) => {
      const value = node.get(field.name);
      return value === undefined ? this.isValidDefault(field) : this.#isValid(field.type, value);
    });
  }

  #remembered(type: AvroType, node: JsonNode, check: () => boolean): boolean {
    const keeps = isArray(node) || isObject(node);
    const results = keeps ? (this.#results.get(node) ?? new Map<PendingType, boolean>()) : undefined;
    const known = results?.get(type);
    if (known !== undefined) return known;
    this.#depth += 1;
    if (this.#depth > registryLimits.avroDepthMax) {
      throw new InvalidSchema('defaults of fields need each other too deeply to be validated');
    }
    const valid = check();
    this.#depth -= 1;
    if (results !== undefined) this.#results.set(node, results.set(type, valid));
    return valid;
  }
}

function everyValue(node: JsonObject, check: (value: JsonNode) => boolean): boolean {
  for (const value of node.values()) if (!check(value)) return false;
  return true;
}

function isIntegerWithin(node: JsonNode, least: bigint, most: bigint): boolean {
  if (!(node instanceof JsonNumber) || !node.isInteger) return false;
  const value = BigInt(node.text);
  return value >= least && value <= most;
}
