import { builtinFiles } from './builtin-files.ts';
import type { FieldType, MessageType } from './types.ts';

const packageName = 'google.protobuf';
const known = new WeakMap<MessageType, string | undefined>();

/**
 * The name of a message of google.protobuf whose JSON may not be an object with its fields. A schema may declare such a
 * message itself; then it has that JSON only with the same fields.
 */
export const wellKnownName = (type: MessageType): string | undefined => {
  if (type.file.node.packageName !== packageName) return undefined;
  if (!known.has(type)) {
    const builtin = builtinNamed(type.fullName);
    const isKnown = builtin !== undefined && (builtin === type || isSameShape(type, builtin));
    known.set(type, isKnown ? type.fullName : undefined);
  }
  return known.get(type);
};

const builtinNamed = (fullName: string): MessageType | undefined => {
  for (const file of builtinFiles().files.values()) {
    if (file.node.packageName !== packageName) continue;
    const found = file.messages.find((message) => message.fullName === fullName);
    if (found !== undefined) return found;
  }
  return undefined;
};

const isSameShape = (type: MessageType, builtin: MessageType): boolean =>
  type.fields.length === builtin.fields.length &&
  builtin.fields.every((field) => {
    const own = type.byNumber.get(field.number);
    return own !== undefined && isSameField(own, field);
  });

const isSameField = (own: FieldType, field: FieldType): boolean => {
  if (own.name !== field.name || own.label !== field.label) return false;
  if ((own.oneof === undefined) !== (field.oneof === undefined)) return false;
  if (typeof field.type === 'string' || typeof own.type === 'string') return own.type === field.type;
  if (own.mapEntry !== undefined && field.mapEntry !== undefined)
    return isSameShape(own.mapEntry, field.mapEntry);
  return own.type.kind === field.type.kind && own.type.fullName === field.type.fullName;
};
