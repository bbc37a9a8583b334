/** A `.proto` file as it was written, without comments. `at` is an offset in the text, or -1 in a descriptor. */
export interface FileNode {
  readonly text: string;
  /** `editions` is every edition from 2023 on. */
  syntax: 'proto2' | 'proto3' | 'editions';
  /** What the file says: files without it are proto2. */
  syntaxText: string | undefined;
  packageName: string;
  readonly imports: ImportNode[];
  readonly options: OptionNode[];
  readonly messages: MessageNode[];
  readonly enums: EnumNode[];
  readonly extends: ExtendNode[];
  readonly services: ServiceNode[];
}

export interface ImportNode {
  readonly path: string;
  readonly kind: 'plain' | 'public' | 'weak';
  readonly at: number;
}

export interface MessageNode {
  readonly name: string;
  readonly at: number;
  /** All fields in the order of the text; those of a oneof name it. */
  readonly fields: FieldNode[];
  readonly oneofs: OneofNode[];
  /** Declared messages; those of maps and groups belong to their fields. */
  readonly messages: MessageNode[];
  readonly enums: EnumNode[];
  readonly extends: ExtendNode[];
  readonly extensionRanges: ExtensionRangesNode[];
  readonly reserved: ReservedNode[];
  readonly options: OptionNode[];
}

export type Label = 'optional' | 'required' | 'repeated';

export interface FieldNode {
  readonly name: string;
  readonly at: number;
  readonly label: Label | undefined;
  /** The type as written: a scalar, or a name that may begin with a dot. Of a map it is the type of the values. */
  readonly typeName: string;
  readonly typeAt: number;
  /** The type of the keys of a map. */
  readonly mapKey: string | undefined;
  readonly number: number;
  readonly options: OptionNode[];
  readonly group: MessageNode | undefined;
  readonly oneof: OneofNode | undefined;
}

export interface OneofNode {
  readonly name: string;
  readonly at: number;
  readonly options: OptionNode[];
}

export interface EnumNode {
  readonly name: string;
  readonly at: number;
  readonly values: EnumValueNode[];
  readonly reserved: ReservedNode[];
  readonly options: OptionNode[];
}

interface EnumValueNode {
  readonly name: string;
  readonly at: number;
  readonly number: number;
  readonly options: OptionNode[];
}

/** Both ends are inclusive. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
  /** Written as one number. */
  readonly single: boolean;
  readonly at: number;
}

export interface ReservedNode {
  readonly ranges: readonly NumberRange[];
  readonly names: readonly string[];
  readonly at: number;
}

export interface ExtensionRangesNode {
  readonly ranges: readonly NumberRange[];
  readonly options: OptionNode[];
}

export interface ExtendNode {
  readonly extendee: string;
  readonly at: number;
  readonly fields: FieldNode[];
}

export interface ServiceNode {
  readonly name: string;
  readonly at: number;
  readonly methods: MethodNode[];
  readonly options: OptionNode[];
}

export interface MethodNode {
  readonly name: string;
  readonly at: number;
  readonly input: string;
  readonly inputAt: number;
  readonly output: string;
  readonly outputAt: number;
  readonly clientStreaming: boolean;
  readonly serverStreaming: boolean;
  readonly options: OptionNode[];
}

export interface OptionNamePart {
  readonly name: string;
  readonly extension: boolean;
}

export interface OptionNode {
  readonly name: readonly OptionNamePart[];
  readonly value: OptionValue;
  readonly at: number;
}

export type OptionValue =
  /** `true`, an enum value, `inf`, `-nan`. */
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'string'; readonly bytes: Uint8Array; readonly at: number }
  | { readonly kind: 'aggregate'; readonly entries: readonly AggregateEntry[]; readonly at: number }
  | { readonly kind: 'list'; readonly values: readonly OptionValue[]; readonly at: number };

export interface AggregateEntry {
  /** A field, or in brackets an extension or the URL of an `Any`. */
  readonly key: string;
  readonly value: OptionValue;
  readonly at: number;
}
