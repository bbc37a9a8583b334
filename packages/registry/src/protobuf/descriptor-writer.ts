import { ProtobufWriter } from '@weir/core';
import { optionNamed, stringOption } from './check-declarations.ts';
import { defaultText } from './interpret-options.ts';
import type {
  EnumNode,
  ExtendNode,
  FieldNode,
  MessageNode,
  NumberRange,
  OptionNode,
  ServiceNode,
} from './syntax-tree.ts';
import {
  type EnumType,
  type FieldType,
  type LinkedFile,
  type MessageType,
  type OneofType,
  scalarTypes,
} from './types.ts';

const labelNumbers = { optional: 1, required: 2, repeated: 3 } as const;
const groupType = 10;
const messageType = 11;
const enumType = 14;
const edition2023 = 1000;

/** Encodes a file as a `FileDescriptorProto`, without comments and positions. */
export const encodeDescriptor = (file: LinkedFile, name: string): Uint8Array => {
  const { node } = file;
  const writer = new ProtobufWriter().textField(1, name);
  if (node.packageName !== '') writer.textField(2, node.packageName);
  const imports = node.imports.filter((imported) => !file.missingImports.has(imported));
  for (const { path } of imports) writer.textField(3, path);
  for (const type of topLevelMessages(file)) writeMessageType(writer, 4, type);
  for (const type of file.enums) writeEnum(writer, 5, type);
  for (const service of node.services) writeService(writer, file, service);
  writeExtensions(writer, 7, file, node.extends);
  writeOptions(writer, 8, file, node.options);
  for (const [at, { kind }] of imports.entries()) if (kind === 'public') writer.integerField(10, at);
  for (const [at, { kind }] of imports.entries()) if (kind === 'weak') writer.integerField(11, at);
  // Descriptors of proto2 have no syntax.
  if (node.syntax !== 'proto2') writer.textField(12, node.syntax);
  if (node.syntax === 'editions') writer.integerField(14, edition2023);
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
  writer: ProtobufWriter,
  number: number,
  file: LinkedFile,
  options: readonly OptionNode[],
): void => {
  const bytes = file.optionBytes.get(options);
  if (bytes !== undefined && bytes.length > 0) writer.bytesField(number, bytes);
};

const writeMessageType = (writer: ProtobufWriter, number: number, type: MessageType): void => {
  const { file, node } = type;
  const oneofAt = new Map(type.oneofs.map((oneof, at) => [oneof, at]));
  const optionalOneofs = new Map(
    type.oneofs.filter((oneof) => oneof.node === undefined).map((oneof) => [oneof.fields[0]!, oneof]),
  );
  const indexOf = (field: FieldType): number | undefined => {
    const oneof: OneofType | undefined = field.oneof ?? optionalOneofs.get(field);
    return oneof === undefined ? undefined : oneofAt.get(oneof);
  };
  writer.messageField(number, () => {
    writer.textField(1, node.name);
    for (const field of type.fields) writeField(writer, 2, file, field, indexOf(field));
    for (const nested of type.messages) writeMessageType(writer, 3, nested);
    for (const nested of type.enums) writeEnum(writer, 4, nested);
    for (const { ranges, options } of node.extensionRanges) {
      for (const range of ranges)
        writeRange(writer, 5, range, 1, () => writeOptions(writer, 3, file, options));
    }
    writeExtensions(writer, 6, file, node.extends);
    if (type.isMapEntry && node.options.length === 0) {
      writer.messageField(7, () => writer.integerField(7, 1));
    } else {
      writeOptions(writer, 7, file, node.options);
    }
    for (const oneof of type.oneofs) {
      writer.messageField(8, () => {
        writer.textField(1, oneof.name);
        if (oneof.node !== undefined) writeOptions(writer, 2, file, oneof.node.options);
      });
    }
    writeReserved(writer, 9, node, 1);
  });
};

const writeExtensions = (
  writer: ProtobufWriter,
  number: number,
  file: LinkedFile,
  blocks: readonly ExtendNode[],
): void => {
  for (const field of blocks.flatMap(({ fields }) => fields))
    writeField(writer, number, file, file.fieldOf.get(field)!, undefined);
};

/** The end of a range is exclusive in messages, and inclusive in enums. */
const writeRange = (
  writer: ProtobufWriter,
  number: number,
  { from, to }: NumberRange,
  exclusive: 0 | 1,
  more?: () => void,
): void => {
  writer.messageField(number, () => {
    writer.integerField(1, from).integerField(2, to + exclusive);
    more?.();
  });
};

/** Writes reserved ranges, and reserved names with the next number. */
const writeReserved = (
  writer: ProtobufWriter,
  number: number,
  { reserved }: MessageNode | EnumNode,
  exclusive: 0 | 1,
): void => {
  for (const range of reserved.flatMap(({ ranges }) => ranges)) writeRange(writer, number, range, exclusive);
  for (const name of reserved.flatMap(({ names }) => names)) writer.textField(number + 1, name);
};

const writeField = (
  writer: ProtobufWriter,
  number: number,
  file: LinkedFile,
  field: FieldType,
  oneofIndex: number | undefined,
): void => {
  const { node, type } = field;
  writer.messageField(number, () => {
    writer.textField(1, field.name);
    if (field.extendee !== undefined) writer.textField(2, `.${field.extendee.fullName}`);
    writer.integerField(3, field.number).integerField(4, labelNumbers[field.label]);
    if (typeof type === 'string') {
      writer.integerField(5, scalarTypes[type]);
    } else {
      const typeNumber = type.kind === 'enum' ? enumType : node.group === undefined ? messageType : groupType;
      writer.integerField(5, typeNumber).textField(6, `.${type.fullName}`);
    }
    const defaultOption = optionNamed(node.options, 'default');
    if (defaultOption !== undefined) writer.textField(7, defaultText(field, file, defaultOption));
    writeOptions(writer, 8, file, node.options);
    if (oneofIndex !== undefined) writer.integerField(9, oneofIndex);
    const jsonName = stringOption(node.options, 'json_name');
    if (jsonName !== undefined) writer.textField(10, jsonName);
    if (file.node.syntax === 'proto3' && node.label === 'optional') writer.integerField(17, 1);
  });
};

const writeEnum = (writer: ProtobufWriter, number: number, { file, node }: EnumType): void => {
  writer.messageField(number, () => {
    writer.textField(1, node.name);
    for (const value of node.values) {
      writer.messageField(2, () => {
        writer.textField(1, value.name).integerField(2, value.number);
        writeOptions(writer, 3, file, value.options);
      });
    }
    writeOptions(writer, 3, file, node.options);
    writeReserved(writer, 4, node, 0);
  });
};

const writeService = (writer: ProtobufWriter, file: LinkedFile, node: ServiceNode): void => {
  writer.messageField(6, () => {
    writer.textField(1, node.name);
    for (const method of node.methods) {
      const { input, output } = file.methodTypes.get(method)!;
      writer.messageField(2, () => {
        writer
          .textField(1, method.name)
          .textField(2, `.${input.fullName}`)
          .textField(3, `.${output.fullName}`);
        writeOptions(writer, 4, file, method.options);
        if (method.clientStreaming) writer.integerField(5, 1);
        if (method.serverStreaming) writer.integerField(6, 1);
      });
    }
    writeOptions(writer, 3, file, node.options);
  });
};
