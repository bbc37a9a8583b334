import { type Encodable, type Layout, type LayoutField, layoutOf, type Message } from '@weir/wire';

/** Returns a message in which every field has its default, like a new instance of Apache's classes. */
export function unsetValue<M extends Message>(message: M, version: number): Encodable<M> {
  return unsetStruct(layoutOf(message, version)) as Encodable<M>;
}

function unsetStruct({ fields, tagged, absent }: Layout): object {
  return Object.fromEntries(
    [...fields, ...tagged, ...absent].map((field) => [field.name, unsetField(field)]),
  );
}

function unsetField(field: LayoutField): unknown {
  if (field.default !== 'empty') return field.default;
  switch (field.type.kind) {
    case 'array':
      return [];
    case 'struct':
      return unsetStruct(field.type.layout);
    default:
      return Buffer.alloc(0);
  }
}
