import type { Layout, LayoutField, LayoutType } from '../schema/layout.ts';

/** Kinds of fixed size. Adjacent fields of these kinds are checked and read at once. */
export const fixedSizes = {
  bool: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  float64: 8,
  uuid: 16,
} as const;

export type FixedKind = keyof typeof fixedSizes;

export function isFixed(type: LayoutType): type is { readonly kind: FixedKind } {
  return type.kind in fixedSizes;
}

/**
 * The minimum size of a value on the wire. An array that claims more elements than could fit into the rest of the frame
 * is rejected before anything is allocated for it.
 */
export function smallestSize(type: LayoutType, nullable = false): number {
  if (isFixed(type)) return fixedSizes[type.kind];
  switch (type.kind) {
    case 'string':
      return type.compact ? 1 : 2;
    case 'bytes':
    case 'records':
    case 'array':
      return type.compact ? 1 : 4;
    case 'struct':
      return nullable ? 1 : smallestStructSize(type.layout);
  }
}

function smallestStructSize(layout: Layout): number {
  let size = layout.flexible ? 1 : 0;
  for (const field of layout.fields) size += smallestSize(field.type, field.nullable);
  return size;
}

/** Splits fields into runs of fixed-size ones and the single fields between them. */
export function runsOf(fields: readonly LayoutField[]): readonly (readonly LayoutField[])[] {
  const runs: LayoutField[][] = [];
  let previousIsFixed = false;
  for (const field of fields) {
    const fixed = isFixed(field.type);
    if (fixed && previousIsFixed) runs.at(-1)!.push(field);
    else runs.push([field]);
    previousIsFixed = fixed;
  }
  return runs;
}
