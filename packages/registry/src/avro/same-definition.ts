import type { AvroField, AvroType, NamedType } from './avro-type.ts';
import { sameJson } from './json-text.ts';
import type { ValidationBudget } from './validation-budget.ts';

/**
 * Whether two definitions of a name are the same for Avro's Java library, which compares neither docs nor aliases nor
 * defaults of enums. Types that were unresolved when a definition was read are the same as no other.
 */
export function sameDefinition(a: NamedType, b: NamedType, budget: ValidationBudget): boolean {
  return new DefinitionComparison(budget).isSame(a, b);
}

class DefinitionComparison {
  readonly #budget: ValidationBudget;
  readonly #seen = new Map<AvroType, Set<AvroType>>();

  constructor(budget: ValidationBudget) {
    this.#budget = budget;
  }

  isSame(a: AvroType, b: AvroType): boolean {
    this.#budget.step();
    if (a === b) return true;
    switch (a.kind) {
      case 'record':
        return (
          b.kind === 'record' &&
          a.fullName === b.fullName &&
          sameJson(a.properties, b.properties) &&
          (this.#isSeen(a, b) ||
            (a.fields.length === b.fields.length &&
              a.fields.every((field, at) => this.#isSameField(field, b.fields[at]!))))
        );
      case 'enum':
        return (
          b.kind === 'enum' &&
          a.fullName === b.fullName &&
          a.symbols.length === b.symbols.length &&
          a.symbols.every((symbol, at) => symbol === b.symbols[at]) &&
          sameJson(a.properties, b.properties)
        );
      case 'fixed':
        return (
          b.kind === 'fixed' &&
          a.fullName === b.fullName &&
          a.sizeBytes === b.sizeBytes &&
          sameJson(a.properties, b.properties)
        );
      case 'array':
        return b.kind === 'array' && this.isSame(a.items, b.items) && sameJson(a.properties, b.properties);
      case 'map':
        return b.kind === 'map' && this.isSame(a.values, b.values) && sameJson(a.properties, b.properties);
      case 'union':
        return (
          b.kind === 'union' &&
          a.branches.length === b.branches.length &&
          a.branches.every((branch, at) => this.isSame(branch, b.branches[at]!))
        );
      default:
        return (
          a.kind === b.kind && 'properties' in a && 'properties' in b && sameJson(a.properties, b.properties)
        );
    }
  }

  #isSameField(a: AvroField, b: AvroField): boolean {
    return (
      a.name === b.name &&
      a.order === b.order &&
      (a.default === undefined || b.default === undefined
        ? a.default === b.default
        : sameJson(a.default, b.default)) &&
      sameJson(a.properties, b.properties) &&
      this.isSame(a.type, b.type)
    );
  }

  /** Also marks the pair. A pair whose comparison failed is not asked for again, because the whole failed. */
  #isSeen(a: AvroType, b: AvroType): boolean {
    const partners = this.#seen.get(a) ?? new Set();
    this.#seen.set(a, partners);
    if (partners.has(b)) return true;
    partners.add(b);
    return false;
  }
}
