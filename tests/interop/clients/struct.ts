import type { Layout, LayoutField, LayoutType } from '@weir/wire';

/** A message, or a structure inside one, of any type. */
export type Struct = Readonly<Record<string, unknown>>;

/** Returns the message with `change` applied to each of its structures, inner ones first, itself last. */
function mapStructs(
  layout: Layout,
  value: Struct,
  change: (layout: Layout, struct: Struct) => Struct,
): Struct {
  const mapped: Record<string, unknown> = { ...value };
  for (const field of carriedFields(layout)) {
    mapped[field.name] = mapInside(field.type, value[field.name], change);
  }
  return change(layout, mapped);
}

function mapInside(
  type: LayoutType,
  value: unknown,
  change: (layout: Layout, struct: Struct) => Struct,
): unknown {
  if (value === null) return null;
  if (type.kind === 'struct') return mapStructs(type.layout, value as Struct, change);
  if (type.kind === 'array')
    return (value as readonly unknown[]).map((element) => mapInside(type.element, element, change));
  return value;
}

/** Returns the message with `change` applied to each field that the version carries, at every depth. */
export function mapFields(
  layout: Layout,
  value: Struct,
  change: (field: LayoutField, value: unknown) => unknown,
): Struct {
  return mapStructs(layout, value, (inner, struct) => {
    const changed: Record<string, unknown> = { ...struct };
    for (const field of carriedFields(inner)) changed[field.name] = change(field, struct[field.name]);
    return changed;
  });
}

/** Returns the message without tagged fields that no release defines. */
export function withoutUnknownTags(layout: Layout, value: Struct): Struct {
  return mapStructs(layout, value, (_, { unknownTaggedFields, ...known }) => known);
}

export function carriedFields(layout: Layout): readonly LayoutField[] {
  return [...layout.fields, ...layout.tagged];
}

/** Whether the version carries a field of this path, such as `topics[].name`. */
export function hasField(layout: Layout, path: string): boolean {
  return carriedFields(layout).some((field) => {
    const type = field.type.kind === 'array' ? field.type.element : field.type;
    return field.path === path || (type.kind === 'struct' && hasField(type.layout, path));
  });
}
