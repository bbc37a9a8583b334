import { optionNamed, stringOption } from './check-declarations.ts';
import { defaultText } from './interpret-options.ts';
import type { EnumNode, FieldNode, MessageNode, OptionNode, ServiceNode } from './syntax-tree.ts';
import {
  type EnumType,
  type FieldType,
  type LinkedFile,
  type MessageType,
  type OneofType,
  scalarTypes,
} from './types.ts';
import { WireWriter } from './wire-writer.ts';

const labelNumbers = { optional: 1, required: 2, repeated: 3 } as const;
const groupType = 10;
const messageType = 11;
const enumType = 14;
const edition2023 = 1000;

/** Encodes a file as a `FileDescriptorProto`, without comments and positions. */
export const encodeDescriptor = (file: LinkedFile, name: string): Uint8Array => {
  const { node } = file;
  const writer = new WireWriter().textField(1, name);
  if (node.packageName !== '') writer.textField(2, node.packageName);
  const imports = node.imports.filter((imported) => !file.missingImports.has(imported));
  for (const { path } of imports) writer.textField(3, path);
  for (const type of topLevelMessages(file)) writer.bytesField(4, encodeMessageType(type));
  for (const type of file.enums) writer.bytesField(5, encodeEnum(type));
  for (const service of node.services) writer.bytesField(6, encodeService(file, service));
  for (const { fields } of node.extends) {
    for (const field of fields) writer.bytesField(7, encodeField(file, file.fieldOf.get(field)!, undefined));
  }
  writeOptions(writer, 8, file, node.options);
  for (const [at, { kind }] of imports.entries()) if (kind === 'public') writer.numberField(10, at);
  for (const [at, { kind }] of imports.entries()) if (kind === 'weak') writer.numberField(11, at);
  // Descriptors of proto2 have no syntax.
  if (node.syntax !== 'proto2') writer.textField(12, node.syntax);
  if (node.syntax === 'editions') writer.numberField(14, edition2023);
  return writer.finish();
};

/** Groups of extensions are messages of the file, where the text has them. */
const topLevelMessages = (file: LinkedFile): readonly MessageType[] => {
  const groups = groupTypes(
    file,
    file.node.extends.flatMap(({ fields }) => fields),
  );
  if (groups.length === 0) return file.messages;
  return [...file.messages, ...groups].sort((left, right) => left.node.at - right.node.at);
};

const groupTypes = (file: LinkedFile, fields: readonly FieldNode[]): MessageType[] =>
  fields
    .filter(({ group }) => group !== undefined)
    .map((field) => file.fieldOf.get(field)!.type as MessageType);

const writeOptions = (
  writer: WireWriter,
  number: number,
  file: LinkedFile,
  options: readonly OptionNode[],
): void => {
  const bytes = file.optionBytes.get(options);
  if (bytes !== undefined && bytes.length > 0) writer.bytesField(number, bytes);
};

const encodeMessageType = (type: MessageType): Uint8Array => {
  const { file, node } = type;
  const writer = new WireWriter().textField(1, node.name);
  const oneofAt = new Map(type.oneofs.map((oneof, at) => [oneof, at]));
  const optionalOneofs = new Map(
    type.oneofs.filter((oneof) => oneof.node === undefined).map((oneof) => [oneof.fields[0]!, oneof]),
  );
  const indexOf = (field: FieldType): number | undefined => {
    const oneof: OneofType | undefined = field.oneof ?? optionalOneofs.get(field);
    return oneof === undefined ? undefined : oneofAt.get(oneof);
  };
  for (const field of type.fields) writer.bytesField(2, encodeField(file, field, indexOf(field)));
  for (const nested of type.messages) writer.bytesField(3, encodeMessageType(nested));
  for (const nested of type.enums) writer.bytesField(4, encodeEnum(nested));
  for (const { ranges, options } of node.extensionRanges) {
    for (const { from, to } of ranges) {
      const range = new WireWriter().numberField(1, from).numberField(2, to + 1);
      writeOptions(range, 3, file, options);
      writer.bytesField(5, range.finish());
    }
  }
  for (const { fields } of node.extends) {
    for (const field of fields) writer.bytesField(6, encodeField(file, file.fieldOf.get(field)!, undefined));
  }
  writeMessageOptions(writer, type, node);
  for (const oneof of type.oneofs) {
    const inner = new WireWriter().textField(1, oneof.name);
    if (oneof.node !== undefined) writeOptions(inner, 2, file, oneof.node.options);
    writer.bytesField(8, inner.finish());
  }
  for (const { from, to } of node.reserved.flatMap(({ ranges }) => ranges)) {
    writer.bytesField(
      9,
      new WireWriter()
        .numberField(1, from)
        .numberField(2, to + 1)
        .finish(),
    );
  }
  for (const name of node.reserved.flatMap(({ names }) => names)) writer.textField(10, name);
  return writer.finish();
};

const writeMessageOptions = (writer: WireWriter, type: MessageType, node: MessageNode): void => {
  if (type.isMapEntry && node.options.length === 0) {
    writer.bytesField(7, new WireWriter().numberField(7, 1).finish());
  } else {
    writeOptions(writer, 7, type.file, node.options);
  }
};

const encodeField = (file: LinkedFile, field: FieldType, oneofIndex: number | undefined): Uint8Array => {
  const { node, type } = field;
  const writer = new WireWriter().textField(1, field.name);
  if (field.extendee !== undefined) writer.textField(2, `.${field.extendee.fullName}`);
  writer.numberField(3, field.number).numberField(4, labelNumbers[field.label]);
  if (typeof type === 'string') {
    writer.numberField(5, scalarTypes[type]);
  } else {
    const number = type.kind === 'enum' ? enumType : node.group === undefined ? messageType : groupType;
    writer.numberField(5, number).textField(6, `.${type.fullName}`);
  }
  const defaultOption = optionNamed(node.options, 'default');
  if (defaultOption !== undefined) writer.textField(7, defaultText(field, file, defaultOption));
  writeOptions(writer, 8, file, node.options);
  if (oneofIndex !== undefined) writer.numberField(9, oneofIndex);
  const jsonName = stringOption(node.options, 'json_name');
  if (jsonName !== undefined) writer.textField(10, jsonName);
  if (file.node.syntax === 'proto3' && node.label === 'optional') {
    writer.numberField(17, 1);
  }
  return writer.finish();
};

const encodeEnum = (type: EnumType): Uint8Array => {
  const { file, node } = type;
  const writer = new WireWriter().textField(1, node.name);
  for (const value of node.values) {
    const inner = new WireWriter().textField(1, value.name).numberField(2, value.number);
    writeOptions(inner, 3, file, value.options);
    writer.bytesField(2, inner.finish());
  }
  writeOptions(writer, 3, file, node.options);
  writeEnumReserved(writer, node);
  return writer.finish();
};

/** Ends of ranges of enums are inclusive, unlike those of messages. */
const writeEnumReserved = (writer: WireWriter, node: EnumNode): void => {
  for (const { from, to } of node.reserved.flatMap(({ ranges }) => ranges)) {
    writer.bytesField(4, new WireWriter().numberField(1, from).numberField(2, to).finish());
  }
  for (const name of node.reserved.flatMap(({ names }) => names)) writer.textField(5, name);
};

const encodeService = (file: LinkedFile, node: ServiceNode): Uint8Array => {
  const writer = new WireWriter().textField(1, node.name);
  for (const method of node.methods) {
    const { input, output } = file.methodTypes.get(method)!;
    const inner = new WireWriter()
      .textField(1, method.name)
      .textField(2, `.${input.fullName}`)
      .textField(3, `.${output.fullName}`);
    writeOptions(inner, 4, file, method.options);
    if (method.clientStreaming) inner.numberField(5, 1);
    if (method.serverStreaming) inner.numberField(6, 1);
    writer.bytesField(2, inner.finish());
  }
  writeOptions(writer, 3, file, node.options);
  return writer.finish();
};
