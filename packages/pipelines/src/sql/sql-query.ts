import type { ComponentContext } from '../component/component-context.ts';
import { Field, fieldNameOf } from '../component/field.ts';
import { type Interpolated, parseInterpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';

/** A statement as it is written, and with its queries. */
interface SqlQuery {
  readonly text: string;
  readonly evaluated: Interpolated;
}

/** A statement, in which queries are evaluated only if the configuration says so. */
export function sqlQuery(about: string): Field<SqlQuery> {
  return new Field({ name: 'string' }, about, (value, reading, path) => {
    if (value.kind !== 'scalar' || value.value === null) {
      reading.problem(value.place, `${fieldNameOf(path)} has to be a text`);
      return undefined;
    }
    const text = String(value.value);
    const evaluated = parseInterpolated(text, (query) => reading.mapping(value, query));
    return evaluated && { text, evaluated };
  });
}

/** The text of a statement for a message. */
export function queryTextFor(
  { query, unsafe_dynamic_query }: { readonly query: SqlQuery; readonly unsafe_dynamic_query: boolean },
  batch: Batch,
  index: number,
  { mappingPorts }: ComponentContext,
): string {
  return unsafe_dynamic_query ? query.evaluated.text(batch, index, mappingPorts) : query.text;
}
