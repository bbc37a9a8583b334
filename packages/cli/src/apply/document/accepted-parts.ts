import { unwrapped } from '@weir/api';
import * as z from 'zod';

/**
 * The parts of a value that a schema accepts, so that they can be checked further although other parts are invalid.
 * Rejected fields are left out, and rejected items of lists leave a hole, so that the others keep their index.
 */
export function acceptedParts(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const found = z.safeParse(schema, value);
  if (found.success) return found.data;
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = unwrapped(schema);
  if (Array.isArray(value)) return inner instanceof z.ZodArray ? acceptedItems(inner, value) : undefined;
  if (inner instanceof z.ZodObject)
    return acceptedFields(value, Object.keys(inner.shape), (field) => inner.shape[field]);
  if (inner instanceof z.ZodRecord) return acceptedFields(value, Object.keys(value), () => inner.valueType);
  return undefined;
}

function acceptedItems({ element }: z.ZodArray, items: readonly unknown[]): unknown[] {
  const accepted = new Array<unknown>(items.length);
  for (const [index, item] of items.entries()) {
    const part = acceptedParts(element, item);
    if (part !== undefined) accepted[index] = part;
  }
  return accepted;
}

function acceptedFields(
  value: object,
  fields: readonly string[],
  schemaOf: (field: string) => z.core.$ZodType | undefined,
): Record<string, unknown> {
  const written = new Map(Object.entries(value));
  return Object.fromEntries(
    fields
      .map((field) => [field, acceptedParts(schemaOf(field), written.get(field))] as const)
      .filter(([, part]) => part !== undefined),
  );
}
