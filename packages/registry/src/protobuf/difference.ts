/** Where two schemas differ, and whether data of the old one can still be read. */
export const differenceTypes = {
  PACKAGE_CHANGED: 'incompatible',
  MESSAGE_ADDED: 'compatible',
  MESSAGE_REMOVED: 'incompatible',
  MESSAGE_MOVED: 'compatible',
  ENUM_ADDED: 'compatible',
  ENUM_REMOVED: 'compatible',
  ENUM_CONST_ADDED: 'compatible',
  ENUM_CONST_CHANGED: 'compatible',
  ENUM_CONST_REMOVED: 'compatible',
  FIELD_ADDED: 'compatible',
  FIELD_REMOVED: 'compatible',
  FIELD_NAME_CHANGED: 'compatible',
  FIELD_KIND_CHANGED: 'incompatible',
  FIELD_SCALAR_KIND_CHANGED: 'incompatible',
  FIELD_NAMED_TYPE_CHANGED: 'incompatible',
  FIELD_NUMERIC_LABEL_CHANGED: 'incompatible',
  FIELD_STRING_OR_BYTES_LABEL_CHANGED: 'compatible',
  REQUIRED_FIELD_ADDED: 'incompatible',
  REQUIRED_FIELD_REMOVED: 'incompatible',
  ONEOF_ADDED: 'compatible',
  ONEOF_REMOVED: 'compatible',
  ONEOF_FIELD_ADDED: 'compatible',
  ONEOF_FIELD_REMOVED: 'incompatible',
  ONEOF_FIELD_MOVED_TO_TOP_LEVEL: 'compatible',
  MULTIPLE_FIELDS_MOVED_TO_ONEOF: 'incompatible',
  FIELD_MOVED_TO_EXISTING_ONEOF: 'incompatible',
} as const satisfies Readonly<Record<string, 'compatible' | 'incompatible'>>;
export type DifferenceType = keyof typeof differenceTypes;

type IncompatibleType = {
  [Type in DifferenceType]: (typeof differenceTypes)[Type] extends 'incompatible' ? Type : never;
}[DifferenceType];

export interface Difference {
  readonly type: DifferenceType;
  /** Names and numbers from the outermost message on: `#/Order/2`. */
  readonly path: string;
}

export const isIncompatible = (
  difference: Difference,
): difference is Difference & { readonly type: IncompatibleType } =>
  differenceTypes[difference.type] === 'incompatible';

type Description = (path: string, reader: string, writer: string) => string;

/** What is said about a difference. The reader's schema is called new or old, as the check requires. */
const descriptions: Readonly<Record<IncompatibleType, Description>> = {
  PACKAGE_CHANGED: (path, reader, writer) =>
    `The package at '${path}' in the ${reader} schema differs from the package in the ${writer} schema`,
  MESSAGE_REMOVED: (path, reader, writer) =>
    `The ${reader} schema lacks the MESSAGE at path '${path}' in the ${writer} schema`,
  FIELD_KIND_CHANGED: (path, reader, writer) =>
    `The field at path '${path}' is a scalar, a message or a map in the ${reader} schema, and another of them in the ${writer} schema`,
  FIELD_SCALAR_KIND_CHANGED: (path, reader, writer) =>
    `The kind of the SCALAR field at path '${path}' in the ${reader} schema differs from its kind in the ${writer} schema`,
  FIELD_NAMED_TYPE_CHANGED: (path, reader, writer) =>
    `The type of the MESSAGE field at path '${path}' in the ${reader} schema differs from its type in the ${writer} schema`,
  FIELD_NUMERIC_LABEL_CHANGED: (path, reader, writer) =>
    `The label of the NUMERIC field at path '${path}' in the ${reader} schema differs from its label in the ${writer} schema`,
  REQUIRED_FIELD_ADDED: (path, reader, writer) =>
    `The required field at path '${path}' in the ${reader} schema is missing in the ${writer} schema`,
  REQUIRED_FIELD_REMOVED: (path, reader, writer) =>
    `The ${reader} schema lacks the required field at path '${path}' in the ${writer} schema`,
  ONEOF_FIELD_REMOVED: (path, reader, writer) =>
    `The ${reader} schema lacks the oneof field at path '${path}' in the ${writer} schema`,
  MULTIPLE_FIELDS_MOVED_TO_ONEOF: (path, reader, writer) =>
    `Several fields of the oneof at path '${path}' in the ${reader} schema are outside of a oneof in the ${writer} schema`,
  FIELD_MOVED_TO_EXISTING_ONEOF: (path, reader, writer) =>
    `Fields of the oneof at path '${path}' in the ${reader} schema do not exclude each other in the ${writer} schema`,
};

/** The entry of the list of messages, in the notation of Confluent's registry. */
export const messageOf = (type: IncompatibleType, path: string, reader: 'new' | 'old'): string => {
  const description = descriptions[type](path, reader, reader === 'new' ? 'old' : 'new');
  return `{errorType:"${type}", description:"${description}"}`;
};
