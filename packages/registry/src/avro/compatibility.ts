import { registryLimits } from '../limits.ts';
import type { CompatibilityOptions, Incompatibility } from '../schema-format.ts';
import type {
  AvroField,
  AvroType,
  EnumType,
  NamedType,
  PrimitiveName,
  RecordType,
  UnionType,
} from './avro-type.ts';
import { isNamed } from './avro-type.ts';

export type DifferenceType =
  | 'NAME_MISMATCH'
  | 'FIXED_SIZE_MISMATCH'
  | 'MISSING_ENUM_SYMBOLS'
  | 'READER_FIELD_MISSING_DEFAULT_VALUE'
  | 'TYPE_MISMATCH'
  | 'MISSING_UNION_BRANCH';

interface Difference {
  readonly type: DifferenceType;
  readonly path: string;
  readonly info: string;
}

type Differences = readonly Difference[];

const none: Differences = [];

/** Types that a reader of another type can read as its own. */
const promotions: ReadonlyMap<AvroType['kind'], readonly AvroType['kind'][]> = new Map<
  PrimitiveName,
  PrimitiveName[]
>([
  ['long', ['int']],
  ['float', ['int', 'long']],
  ['double', ['int', 'long', 'float']],
  ['bytes', ['string']],
  ['string', ['bytes']],
]);

/** Unions larger than this are only searched for branches that can match by name. */
const triedBranchesMax = 32;

/** All differences that prevent a reader from reading what a writer wrote, in the order of Avro's Java library. */
export function avroIncompatibilities(
  reader: AvroType,
  writer: AvroType,
  { reader: readerWord }: CompatibilityOptions,
): readonly Incompatibility[] {
  const words: [string, string] = readerWord === 'new' ? ['new', 'old'] : ['old', 'new'];
  return new SchemaComparison().compare(reader, writer).map((difference) => ({
    type: difference.type,
    path: difference.path,
    message:
      `{errorType:'${difference.type}', description:'${describe(difference, words)}', ` +
      `additionalInfo:'${difference.info}'}`,
  }));
}

function describe({ type, path, info }: Difference, [reader, writer]: [string, string]): string {
  switch (type) {
    case 'FIXED_SIZE_MISMATCH':
      return `The size of FIXED type field at path '${path}' in the ${reader} schema does not match with the ${writer} schema`;
    case 'TYPE_MISMATCH':
      return `The type (path '${path}') of a field in the ${reader} schema does not match with the ${writer} schema`;
    case 'NAME_MISMATCH':
      return `The name of the schema has changed (path '${path}')`;
    case 'MISSING_ENUM_SYMBOLS':
      return `The ${reader} schema is missing enum symbols '${info}' at path '${path}' in the ${writer} schema`;
    case 'MISSING_UNION_BRANCH':
      return `The ${reader} schema is missing a type inside a union field at path '${path}' in the ${writer} schema`;
    case 'READER_FIELD_MISSING_DEFAULT_VALUE':
      return `The field '${info}' at path '${path}' in the ${reader} schema has no default value and is missing in the ${writer} schema`;
  }
}

/**
 * Recursive functions here have plain loops, because iterators take stack.
 *
 * The rules of `SchemaCompatibility` of Avro for Java. A pair of types is compared once: where it occurs again, its
 * differences are those of the first place, and while it is being compared it counts as compatible.
 */
class SchemaComparison {
  readonly #results = new Map<AvroType, Map<AvroType, Differences>>();
  readonly #branches = new Map<UnionType, BranchIndex>();
  #location: (string | number)[] = [];
  #depth = 0;
  #pairs = 0;

  /** Whether a branch of a union fits. Its differences have no place in the schema. */
  #isCompatible(reader: AvroType, writer: AvroType): boolean {
    const location = this.#location;
    this.#location = [];
    const differences = this.compare(reader, writer);
    this.#location = location;
    return differences.length === 0;
  }

  /** Compares types, which are at `token` of what is being compared. */
  compare(reader: AvroType, writer: AvroType, token?: string | number): Differences {
    let results = this.#results.get(reader);
    if (results === undefined) {
      results = new Map();
      this.#results.set(reader, results);
    }
    let differences = results.get(writer);
    if (differences !== undefined) return differences;
    if (token !== undefined) this.#location.push(token);
    this.#pairs += 1;
    if (
      this.#pairs > registryLimits.avroComparedPairsMax ||
      this.#depth >= registryLimits.avroComparedDepthMax
    ) {
      differences = this.#difference(
        'TYPE_MISMATCH',
        'the schemas nest too deeply, or too often, to be compared',
      );
    } else {
      results.set(writer, none);
      this.#depth += 1;
      differences = this.#calculate(reader, writer);
      this.#depth -= 1;
      if (differences.length > 0) results.set(writer, differences);
    }
    if (token !== undefined) this.#location.pop();
    return differences;
  }

  #calculate(reader: AvroType, writer: AvroType): Differences {
    switch (reader.kind) {
      case 'array':
        if (writer.kind === 'array') return this.compare(reader.items, writer.items, 'items');
        break;
      case 'map':
        if (writer.kind === 'map') return this.compare(reader.values, writer.values, 'values');
        break;
      case 'fixed':
        if (writer.kind === 'fixed') {
          return merged(
            this.#compareNames(reader, writer),
            this.#compareSizes(reader.sizeBytes, writer.sizeBytes),
          );
        }
        break;
      case 'enum':
        if (writer.kind === 'enum') {
          return merged(this.#compareNames(reader, writer), this.#compareSymbols(reader, writer));
        }
        break;
      case 'record':
        if (writer.kind === 'record') {
          return merged(this.#compareNames(reader, writer), this.#compareFields(reader, writer));
        }
        break;
      case 'union':
        return writer.kind === 'union'
          ? this.#compareUnions(reader, writer)
          : this.#compareBranches(reader, writer);
      default:
        if (reader.kind === writer.kind) return none;
    }
    if (writer.kind === 'union') {
      let differences = none;
      for (let at = 0; at < writer.branches.length; at += 1) {
        differences = merged(differences, this.compare(reader, writer.branches[at]!, at));
      }
      return differences;
    }
    if (promotions.get(reader.kind)?.includes(writer.kind)) return none;
    return this.#difference(
      'TYPE_MISMATCH',
      `reader type: ${reader.kind.toUpperCase()} not compatible with writer type: ${writer.kind.toUpperCase()}`,
    );
  }

  /** Every branch of the writer has to be readable by some branch of the reader. */
  #compareUnions(reader: UnionType, writer: UnionType): Differences {
    let differences = none;
    for (let at = 0; at < writer.branches.length; at += 1) {
      if (this.#isCompatible(reader, writer.branches[at]!)) continue;
      this.#location.push(at);
      differences = merged(differences, this.#missingBranch(writer.branches[at]!));
      this.#location.pop();
    }
    return differences;
  }

  #compareBranches(reader: UnionType, writer: AvroType): Differences {
    const candidates = this.#candidates(reader, writer);
    for (let at = 0; at < candidates.length; at += 1) {
      if (this.#isCompatible(candidates[at]!, writer)) return none;
    }
    return this.#missingBranch(writer);
  }

  #missingBranch(writer: AvroType): Differences {
    return this.#difference(
      'MISSING_UNION_BRANCH',
      `reader union lacking writer type: ${writer.kind.toUpperCase()}`,
    );
  }

  #candidates(union: UnionType, writer: AvroType): readonly AvroType[] {
    if (union.branches.length <= triedBranchesMax) return union.branches;
    let index = this.#branches.get(union);
    if (index === undefined) {
      index = new BranchIndex(union);
      this.#branches.set(union, index);
    }
    return index.candidates(writer);
  }

  #compareNames(reader: NamedType, writer: NamedType): Differences {
    if (reader.name === writer.name || hasAlias(reader, writer.fullName)) return none;
    return this.#differenceAt('name', 'NAME_MISMATCH', `expected: ${writer.fullName}`);
  }

  #compareSizes(reader: number, writer: number): Differences {
    if (reader === writer) return none;
    return this.#differenceAt('size', 'FIXED_SIZE_MISMATCH', `expected: ${writer}, found: ${reader}`);
  }

  #compareSymbols(reader: EnumType, writer: EnumType): Differences {
    if (reader.default !== undefined) return none;
    const known = new Set(reader.symbols);
    const missing = writer.symbols.filter((symbol) => !known.has(symbol));
    if (missing.length === 0) return none;
    return this.#differenceAt('symbols', 'MISSING_ENUM_SYMBOLS', `[${missing.sort().join(', ')}]`);
  }

  #compareFields(reader: RecordType, writer: RecordType): Differences {
    let differences = none;
    this.#location.push('fields');
    for (let at = 0; at < reader.fields.length; at += 1) {
      const field = reader.fields[at]!;
      const source = sourceOf(field, writer);
      this.#location.push(at);
      if (typeof source === 'object') {
        differences = merged(differences, this.compare(field.type, source.type, 'type'));
      } else if (source !== undefined) {
        differences = merged(differences, this.#difference('NAME_MISMATCH', source));
      } else if (field.default === undefined) {
        differences = merged(differences, this.#compareMissing(field, writer));
      }
      this.#location.pop();
    }
    this.#location.pop();
    return differences;
  }

  #compareMissing({ name, type }: AvroField, writer: RecordType): Differences {
    // As in the Java library: the default of an enum does not stand for a missing field.
    if (type.kind === 'enum' && type.default !== undefined) return this.compare(type, writer, 'type');
    return this.#difference('READER_FIELD_MISSING_DEFAULT_VALUE', name);
  }

  #differenceAt(token: string, type: DifferenceType, info: string): Differences {
    this.#location.push(token);
    const differences = this.#difference(type, info);
    this.#location.pop();
    return differences;
  }

  #difference(type: DifferenceType, info: string): Differences {
    return [{ type, path: `/${this.#location.join('/')}`, info }];
  }
}

/** The field of the writer that a field of the reader gets its value from, or a text if there are several. */
function sourceOf(field: AvroField, writer: RecordType): AvroField | string | undefined {
  if (field.aliases.length === 0) return writer.fieldByName.get(field.name);
  const sources = [...new Set([field.name, ...field.aliases])].flatMap(
    (name) => writer.fieldByName.get(name) ?? [],
  );
  if (sources.length < 2) return sources[0];
  return `the field ${field.name} matches several fields: ${sources.map(({ name }) => name).join(', ')}`;
}

/** The branches of a union that a writer's type can match at all: one per unnamed type, and named ones by name. */
class BranchIndex {
  readonly #unnamed: readonly AvroType[];
  readonly #byName = new Map<string, NamedType[]>();
  readonly #byAlias = new Map<string, NamedType[]>();

  constructor({ branches }: UnionType) {
    this.#unnamed = branches.filter((branch) => !isNamed(branch));
    for (const branch of branches) {
      if (!isNamed(branch)) continue;
      put(this.#byName, branch.name, branch);
      for (const alias of aliasNames(branch)) put(this.#byAlias, alias, branch);
    }
  }

  candidates(writer: AvroType): readonly AvroType[] {
    if (!isNamed(writer)) return this.#unnamed;
    return [...(this.#byName.get(writer.name) ?? []), ...(this.#byAlias.get(writer.fullName) ?? [])];
  }
}

function put(index: Map<string, NamedType[]>, name: string, type: NamedType): void {
  const types = index.get(name);
  if (types === undefined) index.set(name, [type]);
  else types.push(type);
}

function hasAlias(reader: NamedType, fullName: string): boolean {
  for (const alias of aliasNames(reader)) if (alias === fullName) return true;
  return false;
}

/** Aliases as full names. Java writes those of the empty namespace with a dot, so that they match nothing. */
function* aliasNames(type: NamedType): Generator<string> {
  for (const { name, namespace, fullName } of type.aliases) {
    yield namespace === undefined && type.namespace !== undefined ? `.${name}` : fullName;
  }
}

function merged(a: Differences, b: Differences): Differences {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  return a.length >= registryLimits.avroDifferencesMax
    ? a
    : [...a, ...b].slice(0, registryLimits.avroDifferencesMax);
}
