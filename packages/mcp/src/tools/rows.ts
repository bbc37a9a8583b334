import * as z from 'zod';

/** The schema of a row: concise columns are required, the others optional. */
export function rowSchema(row: z.ZodObject, concise: readonly string[]): z.ZodObject {
  const fields = Object.entries(row.shape as Readonly<Record<string, z.ZodType>>);
  return z.object(
    Object.fromEntries(
      fields.map(([name, field]) => [name, concise.includes(name) ? field : field.optional()]),
    ),
  );
}
