import { type Difference, type DifferenceType, isIncompatible } from './difference.ts';
import type { LoadedSchema } from './load-files.ts';
import type { EnumType, FieldType, LinkedFile, MessageType, ScalarType } from './types.ts';

/** Scalars that can be read as each other. */
const scalarGroups: Readonly<Record<ScalarType, string>> = {
  int32: 'number',
  int64: 'number',
  uint32: 'number',
  uint64: 'number',
  bool: 'number',
  sint32: 'signed',
  sint64: 'signed',
  string: 'text',
  bytes: 'text',
  fixed32: 'fixed32',
  sfixed32: 'fixed32',
  fixed64: 'fixed64',
  sfixed64: 'fixed64',
  float: 'float',
  double: 'double',
};

type FieldKind = 'scalar' | 'map' | 'message' | 'group';

/** Two messages that fields of the same number have as their types. */
interface Pair {
  readonly original: MessageType;
  readonly update: MessageType;
  readonly found: Found[];
  /** Pairs with a field whose types are this pair. */
  readonly usedBy: Pair[];
  incompatible: boolean;
}

/** A difference, or a field whose types have to be compatible. */
type Found = Difference | { readonly path: string; readonly pair: Pair };

/**
 * All differences of two schemas, as Confluent's registry sees them: fields are compared by number, messages by name.
 * Names within a list are sorted, so that the order is always the same. Messages that fields refer to are compared
 * once per pair, one after the other, so that neither depth nor cycles matter.
 */
export const differencesOf = (original: LoadedSchema, update: LoadedSchema): readonly Difference[] =>
  new Comparison(original, update).run();

class Comparison {
  readonly #original: LoadedSchema;
  readonly #update: LoadedSchema;
  readonly #pairs = new Map<MessageType, Map<MessageType, Pair>>();
  readonly #open: Pair[] = [];
  #current: Found[] = [];
  #currentPair: Pair | undefined;
  #path: string[] = [];

  constructor(original: LoadedSchema, update: LoadedSchema) {
    this.#original = original;
    this.#update = update;
  }

  run(): readonly Difference[] {
    const [original, update] = [this.#original.file, this.#update.file];
    const lists = [this.#current];
    if (original.node.packageName !== update.node.packageName) this.#add('PACKAGE_CHANGED');
    this.#compareTypes(original, update);
    // Pairs are added while others are compared.
    for (const pair of this.#open) {
      this.#currentPair = pair;
      this.#current = pair.found;
      this.#path = pair.original.localName.split('.');
      this.#compareMessages(pair.original, pair.update);
      lists.push(pair.found);
    }
    this.#spreadIncompatibility();
    const differences: Difference[] = [];
    for (const list of lists) {
      for (const found of list) {
        if (!('pair' in found)) differences.push(found);
        else if (found.pair.incompatible) {
          differences.push({ type: 'FIELD_NAMED_TYPE_CHANGED', path: found.path });
        }
      }
    }
    return differences;
  }

  /** A pair is incompatible if a difference in it is, or a pair that one of its fields has. */
  #spreadIncompatibility(): void {
    const reached = this.#open.filter(({ found }) =>
      found.some((difference) => !('pair' in difference) && isIncompatible(difference)),
    );
    for (const pair of reached) pair.incompatible = true;
    for (let pair = reached.pop(); pair !== undefined; pair = reached.pop()) {
      for (const user of pair.usedBy) {
        if (user.incompatible) continue;
        user.incompatible = true;
        reached.push(user);
      }
    }
  }

  #add(type: DifferenceType, ...below: readonly (string | number)[]): void {
    this.#current.push({ type, path: this.#pathTo(below) });
  }

  #pathTo(below: readonly (string | number)[]): string {
    return `#/${[...this.#path, ...below].join('/')}`;
  }

  #within(name: string | number, compare: () => void): void {
    this.#path.push(String(name));
    compare();
    this.#path.pop();
  }

  #compareTypes(original: TypesOf, update: TypesOf): void {
    const [originals, updates] = [messagesByName(original), messagesByName(update)];
    for (const name of sortedNames(originals, updates)) {
      const [before, after] = [originals.get(name), updates.get(name)];
      if (after === undefined) {
        if (!before!.type.isMapEntry) this.#add('MESSAGE_REMOVED', name);
      } else if (before === undefined) {
        if (!after.type.isMapEntry) this.#add('MESSAGE_ADDED', name);
      } else {
        this.#within(name, () => {
          this.#compareMessages(before.type, after.type);
          // Payloads name messages by index, and the index is one of the schema that they were written with.
          if (before.index !== after.index) this.#add('MESSAGE_MOVED');
        });
      }
    }
    this.#compareEnumLists(original.enums, update.enums);
  }

  #compareEnumLists(original: readonly EnumType[], update: readonly EnumType[]): void {
    const [originals, updates] = [byNodeName(original), byNodeName(update)];
    for (const name of sortedNames(originals, updates)) {
      const [before, after] = [originals.get(name), updates.get(name)];
      if (after === undefined) this.#add('ENUM_REMOVED', name);
      else if (before === undefined) this.#add('ENUM_ADDED', name);
      else this.#within(name, () => this.#compareEnums(before, after));
    }
  }

  #compareEnums(original: EnumType, update: EnumType): void {
    const numbers = new Set([...original.nameOf.keys(), ...update.nameOf.keys()]);
    for (const number of [...numbers].sort((left, right) => left - right)) {
      const [before, after] = [original.nameOf.get(number), update.nameOf.get(number)];
      if (after === undefined) this.#add('ENUM_CONST_REMOVED', number);
      else if (before === undefined) this.#add('ENUM_CONST_ADDED', number);
      else if (before !== after) this.#add('ENUM_CONST_CHANGED', number);
    }
  }

  #compareMessages(original: MessageType, update: MessageType): void {
    this.#compareOneofs(original, update);
    const deleted = deletedOneofs(original, update);
    const numbers = new Set([...original.byNumber.keys(), ...update.byNumber.keys()]);
    for (const number of [...numbers].sort((left, right) => left - right)) {
      const [before, after] = [original.byNumber.get(number), update.byNumber.get(number)];
      if (after === undefined) this.#removed(before!, deleted);
      else if (before === undefined) this.#added(after);
      else this.#compareFieldAt(before, after);
    }
    this.#compareTypes(declaredTypes(original), declaredTypes(update));
  }

  #removed(field: FieldType, deletedOneofNames: ReadonlySet<string>): void {
    const oneof = realOneof(field);
    if (oneof === undefined) {
      this.#add(field.label === 'required' ? 'REQUIRED_FIELD_REMOVED' : 'FIELD_REMOVED', field.number);
    } else if (!deletedOneofNames.has(oneof)) {
      this.#add('ONEOF_FIELD_REMOVED', oneof, field.number);
    }
  }

  #added(field: FieldType): void {
    const oneof = realOneof(field);
    if (oneof !== undefined) this.#add('ONEOF_FIELD_ADDED', oneof, field.number);
    else this.#add(field.label === 'required' ? 'REQUIRED_FIELD_ADDED' : 'FIELD_ADDED', field.number);
  }

  #compareFieldAt(original: FieldType, update: FieldType): void {
    const [before, after] = [realOneof(original), realOneof(update)];
    if (before !== undefined && after === undefined)
      this.#add('ONEOF_FIELD_MOVED_TO_TOP_LEVEL', update.number);
    const compare = () => this.#within(update.number, () => this.#compareFields(original, update));
    if (after === undefined) compare();
    else this.#within(after, compare);
  }

  /** Fields that excluded each other already came from one oneof; fields that are new were never set. */
  #compareOneofs(original: MessageType, update: MessageType): void {
    for (const { name, fields } of realOneofs(update)) {
      const origins = new Set<string>();
      let movedIn = 0;
      for (const { number } of fields) {
        const before = original.byNumber.get(number);
        if (before === undefined) continue;
        const oneof = realOneof(before);
        if (oneof === undefined) movedIn += 1;
        origins.add(oneof === undefined ? `/${number}` : oneof);
      }
      if (origins.size > 1) {
        this.#add(movedIn > 1 ? 'MULTIPLE_FIELDS_MOVED_TO_ONEOF' : 'FIELD_MOVED_TO_EXISTING_ONEOF', name);
      }
    }
    const names = (type: MessageType) => new Map(realOneofs(type).map((oneof) => [oneof.name, oneof]));
    const [originals, updates] = [names(original), names(update)];
    for (const name of sortedNames(originals, updates)) {
      if (!updates.has(name)) this.#add('ONEOF_REMOVED', name);
      else if (!originals.has(name)) this.#add('ONEOF_ADDED', name);
    }
  }

  #compareFields(original: FieldType, update: FieldType): void {
    if (original.name !== update.name) this.#add('FIELD_NAME_CHANGED');
    const [before, after] = [original.mapEntry, update.mapEntry];
    if (before !== undefined && after !== undefined) {
      for (const number of [1, 2]) {
        this.#compareFieldTypes(before.byNumber.get(number)!, after.byNumber.get(number)!, false);
      }
      return;
    }
    this.#compareFieldTypes(original, update, true);
  }

  #compareFieldTypes(original: FieldType, update: FieldType, withLabels: boolean): void {
    const kind = kindOf(original);
    if (kind !== kindOf(update)) {
      this.#add('FIELD_KIND_CHANGED');
    } else if (kind === 'scalar') {
      this.#compareScalars(original, update, withLabels);
    } else {
      this.#compareMessageTypes(original.type as MessageType, update.type as MessageType);
    }
  }

  #compareScalars(original: FieldType, update: FieldType, withLabels: boolean): void {
    const group = scalarGroup(original);
    if (group !== scalarGroup(update)) {
      this.#add('FIELD_SCALAR_KIND_CHANGED');
      return;
    }
    const [before, after] = [original.node.label, update.node.label];
    if (!withLabels || before === undefined || after === undefined || before === after) return;
    this.#add(group === 'text' ? 'FIELD_STRING_OR_BYTES_LABEL_CHANGED' : 'FIELD_NUMERIC_LABEL_CHANGED');
  }

  /** Types are the same if their names without packages are, and if their content is compatible. */
  #compareMessageTypes(original: MessageType, update: MessageType): void {
    if (original.localName !== update.localName) {
      this.#add('FIELD_NAMED_TYPE_CHANGED');
      return;
    }
    if (this.#isSameOrigin(original.file, update.file)) return;
    const pair = this.#pairOf(original, update);
    if (this.#currentPair !== undefined) pair.usedBy.push(this.#currentPair);
    this.#current.push({ path: this.#pathTo([]), pair });
  }

  #pairOf(original: MessageType, update: MessageType): Pair {
    let pairs = this.#pairs.get(original);
    if (pairs === undefined) {
      pairs = new Map();
      this.#pairs.set(original, pairs);
    }
    let pair = pairs.get(update);
    if (pair === undefined) {
      pair = { original, update, found: [], usedBy: [], incompatible: false };
      pairs.set(update, pair);
      this.#open.push(pair);
    }
    return pair;
  }

  /** Types of the schemas themselves are compared where they are declared; those of one version are the same. */
  #isSameOrigin(original: LinkedFile, update: LinkedFile): boolean {
    if (original === update) return true;
    const [isLocal, isLocalToo] = [original === this.#original.file, update === this.#update.file];
    if (isLocal || isLocalToo) return isLocal && isLocalToo;
    const [before, after] = [this.#original.origins.get(original), this.#update.origins.get(update)];
    return before !== undefined && before.subject === after?.subject && before.version === after.version;
  }
}

interface TypesOf {
  readonly messages: readonly MessageType[];
  readonly enums: readonly EnumType[];
}

const declaredTypes = (type: MessageType): TypesOf => ({ messages: type.messages, enums: type.enums });

interface IndexedMessage {
  readonly type: MessageType;
  readonly index: number;
}

/** Messages with their index. Entries of maps are compared with their fields. */
const messagesByName = ({ messages }: TypesOf): Map<string, IndexedMessage> => {
  const result = new Map<string, IndexedMessage>();
  let index = 0;
  for (const type of messages) {
    if (type.isMapEntry) continue;
    result.set(type.node.name, { type, index });
    index += 1;
  }
  return result;
};

const byNodeName = (types: readonly EnumType[]) => new Map(types.map((type) => [type.node.name, type]));

const sortedNames = (left: ReadonlyMap<string, unknown>, right: ReadonlyMap<string, unknown>): string[] =>
  [...new Set([...left.keys(), ...right.keys()])].sort();

/** The oneofs that the text has: those of proto3's optional fields exclude nothing. */
const realOneofs = (type: MessageType) => type.oneofs.filter(({ node }) => node !== undefined);

const realOneof = (field: FieldType): string | undefined => field.oneof?.name;

/** Oneofs that are gone with all their fields. */
const deletedOneofs = (original: MessageType, update: MessageType): ReadonlySet<string> => {
  const remaining = new Set(realOneofs(update).map(({ name }) => name));
  return new Set(
    realOneofs(original)
      .filter(
        ({ name, fields }) =>
          !remaining.has(name) && !fields.some(({ number }) => update.byNumber.has(number)),
      )
      .map(({ name }) => name),
  );
};

const kindOf = (field: FieldType): FieldKind => {
  if (typeof field.type === 'string' || field.type.kind === 'enum') return 'scalar';
  if (field.mapEntry !== undefined) return 'map';
  return field.isDelimited ? 'group' : 'message';
};

const scalarGroup = ({ type }: FieldType): string =>
  typeof type === 'string' ? scalarGroups[type] : 'number';
