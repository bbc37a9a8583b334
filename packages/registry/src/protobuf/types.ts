import { lowerBound } from '@weir/core';
import type { Features } from './features.ts';
import type {
  AggregateEntry,
  EnumNode,
  ExtendNode,
  FieldNode,
  FileNode,
  ImportNode,
  Label,
  MessageNode,
  MethodNode,
  NumberRange,
  OneofNode,
  OptionNamePart,
  OptionNode,
} from './syntax-tree.ts';

/** Scalar types with their numbers in descriptors. */
export const scalarTypes = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
} as const;
export type ScalarType = keyof typeof scalarTypes;

export const isScalarType = (name: string): name is ScalarType => Object.hasOwn(scalarTypes, name);

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

const scalarWireTypes: Readonly<Record<ScalarType, number>> = {
  double: wireTypes.fixed64,
  float: wireTypes.fixed32,
  int64: wireTypes.varint,
  uint64: wireTypes.varint,
  int32: wireTypes.varint,
  fixed64: wireTypes.fixed64,
  fixed32: wireTypes.fixed32,
  bool: wireTypes.varint,
  string: wireTypes.bytes,
  bytes: wireTypes.bytes,
  uint32: wireTypes.varint,
  sfixed32: wireTypes.fixed32,
  sfixed64: wireTypes.fixed64,
  sint32: wireTypes.varint,
  sint64: wireTypes.varint,
};

/** Whether a number is in one of some ranges, which are sorted and do not overlap. */
export const isInRanges = (sorted: readonly NumberRange[], number: number): boolean => {
  const range = sorted[lowerBound(sorted, ({ to }) => to < number)];
  return range !== undefined && range.from <= number;
};

/** An extension that an option names, and its full name, with a dot before it where it would mean another one. */
interface ResolvedExtension {
  readonly field: FieldType;
  readonly name: string;
}

/** A file whose names are resolved. */
export class LinkedFile {
  readonly path: string;
  readonly node: FileNode;
  readonly features: Features;
  /** Those that were found. */
  readonly imports: LinkedFile[] = [];
  readonly publicImports: LinkedFile[] = [];
  /** Imports without a file: nothing of them can be used, and nothing has to be. */
  readonly missingImports = new Set<ImportNode>();
  /** The files whose names this one may use: itself, its imports, and what those import publicly. */
  readonly visible = new Set<LinkedFile>();
  readonly visiblePackages = new Set<string>();
  readonly messages: MessageType[] = [];
  readonly enums: EnumType[] = [];
  /** Extensions in the order of the text, also those that messages contain. */
  readonly extensions: FieldType[] = [];
  /** What the nodes of the file mean. */
  readonly fieldOf = new Map<FieldNode, FieldType>();
  readonly extendeeOf = new Map<ExtendNode, MessageType>();
  readonly methodTypes = new Map<MethodNode, { readonly input: MessageType; readonly output: MessageType }>();
  readonly extensionOf = new Map<OptionNamePart | AggregateEntry, ResolvedExtension>();
  /** Options as a descriptor has them, by the list that they are written in. */
  readonly optionBytes = new Map<readonly OptionNode[], Uint8Array>();

  constructor(path: string, node: FileNode, features: Features) {
    this.path = path;
    this.node = node;
    this.features = features;
  }
}

export class MessageType {
  readonly kind = 'message';
  readonly fullName: string;
  readonly file: LinkedFile;
  readonly node: MessageNode;
  readonly features: Features;
  readonly fields: FieldType[] = [];
  readonly byNumber = new Map<number, FieldType>();
  /** Fields by their names and by their names in JSON. */
  readonly byName = new Map<string, FieldType>();
  readonly oneofs: OneofType[] = [];
  /** Messages in the order of descriptors, where those of maps and groups are where their fields are. */
  readonly messages: MessageType[] = [];
  /** Messages that the text declares as such. */
  readonly declaredMessages: MessageType[] = [];
  readonly enums: EnumType[] = [];
  isMapEntry = false;
  #extensionRanges: readonly NumberRange[] | undefined;
  #requiredFields: readonly FieldType[] | undefined;

  constructor(fullName: string, file: LinkedFile, node: MessageNode, features: Features) {
    this.fullName = fullName;
    this.file = file;
    this.node = node;
    this.features = features;
  }

  get requiredFields(): readonly FieldType[] {
    this.#requiredFields ??= this.fields.filter(({ isRequired }) => isRequired);
    return this.#requiredFields;
  }

  /** Whether a number is in an extension range. */
  hasExtensionNumber(number: number): boolean {
    this.#extensionRanges ??= this.node.extensionRanges
      .flatMap(({ ranges }) => ranges)
      .sort((left, right) => left.from - right.from);
    return isInRanges(this.#extensionRanges, number);
  }

  /** The name without the package. */
  get localName(): string {
    const { packageName } = this.file.node;
    return packageName === '' ? this.fullName : this.fullName.slice(packageName.length + 1);
  }
}

export class EnumType {
  readonly kind = 'enum';
  readonly fullName: string;
  readonly file: LinkedFile;
  readonly node: EnumNode;
  /** Values outside of the enum are unknown fields. */
  readonly isClosed: boolean;
  /** The first name of every number. */
  readonly nameOf = new Map<number, string>();
  readonly numberOf = new Map<string, number>();

  constructor(fullName: string, file: LinkedFile, node: EnumNode, isClosed: boolean) {
    this.fullName = fullName;
    this.file = file;
    this.node = node;
    this.isClosed = isClosed;
    for (const { name, number } of node.values) {
      if (!this.nameOf.has(number)) this.nameOf.set(number, name);
      this.numberOf.set(name, number);
    }
  }
}

export interface OneofType {
  readonly name: string;
  readonly node: OneofNode | undefined;
  readonly fields: FieldType[];
}

interface FieldProperties {
  readonly node: FieldNode;
  readonly name: string;
  readonly fullName: string;
  readonly number: number;
  readonly label: Label;
  readonly type: ScalarType | MessageType | EnumType;
  readonly jsonName: string;
  readonly features: Features;
  readonly isPacked: boolean;
  readonly oneof: OneofType | undefined;
  /** The oneof has this field alone, and stands for the label `optional` of proto3. */
  readonly isProto3Optional: boolean;
  readonly extendee: MessageType | undefined;
}

export interface FieldType extends FieldProperties {
  readonly isDelimited: boolean;
  readonly isRequired: boolean;
  readonly hasPresence: boolean;
  readonly validatesUtf8: boolean;
  readonly wireType: number;
  readonly isPackable: boolean;
  /** The message of the entries, if the field is a map. */
  readonly mapEntry: MessageType | undefined;
}

export const fieldType = (properties: FieldProperties): FieldType => {
  const { type, label, features, node, oneof, extendee, isProto3Optional } = properties;
  const message = typeof type !== 'string' && type.kind === 'message' ? type : undefined;
  const mapEntry = message?.isMapEntry === true ? message : undefined;
  const isDelimited =
    message !== undefined &&
    mapEntry === undefined &&
    (node.group !== undefined || features.messageEncoding === 'DELIMITED');
  const wireType =
    typeof type === 'string'
      ? scalarWireTypes[type]
      : type.kind === 'enum'
        ? wireTypes.varint
        : isDelimited
          ? wireTypes.startGroup
          : wireTypes.bytes;
  return {
    ...properties,
    isDelimited,
    isRequired:
      label === 'required' || (label === 'optional' && features.fieldPresence === 'LEGACY_REQUIRED'),
    hasPresence:
      label !== 'repeated' &&
      (message !== undefined ||
        oneof !== undefined ||
        extendee !== undefined ||
        isProto3Optional ||
        label === 'required' ||
        features.fieldPresence !== 'IMPLICIT'),
    validatesUtf8: type === 'string' && features.utf8Validation === 'VERIFY',
    wireType,
    isPackable: label === 'repeated' && wireType !== 2 && wireType !== 3,
    mapEntry,
  };
};

/** Extensions of all files of a schema by number, by the message that they extend. */
export type ExtensionTable = ReadonlyMap<MessageType, ReadonlyMap<number, FieldType>>;
