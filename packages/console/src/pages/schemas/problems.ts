import type { OutputOf } from '@weir/api/client';
import { lineAndColumn, placeOfPath, placeOfSyntaxError, type SchemaType } from './schema-text.ts';

/** Something that is wrong with a schema, and where. */
export interface SchemaProblem {
  readonly message: string;
  /** The line and column, or the path if the place is not in the text. */
  readonly where: string;
  readonly place?: { readonly from: number; readonly to: number };
}

type Violation = OutputOf<'check_schema_compatibility'>['violations'][number];

/** Places of what makes a schema incompatible; parts that were removed have none in the new text. */
export function problemsOfViolations(
  type: SchemaType,
  text: string,
  violations: readonly Violation[],
): readonly SchemaProblem[] {
  return violations.map(({ message, path }) => {
    const place = type === 'PROTOBUF' ? undefined : placeOfPath(text, path);
    return place === undefined
      ? { message, where: path }
      : { message, where: lineAndColumn(text, place.from), place };
  });
}

/** A text that is no schema at all. */
export function problemOfText(type: SchemaType, text: string, message: string): SchemaProblem {
  const place = type === 'PROTOBUF' ? undefined : placeOfSyntaxError(text);
  return place === undefined
    ? { message, where: '' }
    : { message, where: lineAndColumn(text, place.from), place };
}
