import { mapInTurns } from '@weir/broker';
import { HttpProblem } from '@weir/http';
import { partitionBounds } from '../definitions/record-schema.ts';
import { integerIn, type JsonObject, objectOf, objectsIn } from '../json-fields.ts';
import { unprocessable } from './proxy-problems.ts';

/** A record as a body has it. `key` and `value` are JSON, in the format of the request. */
export interface GivenRecord {
  readonly object: JsonObject;
  readonly partition: number | undefined;
}

export interface ProduceBody {
  readonly object: JsonObject;
  readonly records: readonly GivenRecord[];
}

const bodyFields: ReadonlySet<string> = new Set([
  'records',
  'key_schema',
  'key_schema_id',
  'value_schema',
  'value_schema_id',
]);
const topicFields: ReadonlySet<string> = new Set(['key', 'value', 'partition']);
const partitionFields: ReadonlySet<string> = new Set(['key', 'value']);

/** Reads a body. `partition` is that of the path, if it has one; the records then have none. */
export async function readProduceBody(
  body: unknown,
  partition: number | undefined,
  pause: () => Promise<void>,
): Promise<ProduceBody> {
  const object = orUnprocessable(() => objectOf(body));
  const objects = orUnprocessable(() => {
    refuseOthers(object, bodyFields);
    return objectsIn(object, 'records');
  });
  if (objects.length === 0) throw unprocessable('records must not be empty.');
  const known = partition === undefined ? topicFields : partitionFields;
  const records = await mapInTurns(objects, pause, (record) =>
    orUnprocessable(() => {
      refuseOthers(record, known);
      const isGiven = (record.fields.partition ?? null) !== null;
      const own = isGiven ? integerIn(record, 'partition', partitionBounds) : undefined;
      return { object: record, partition: partition ?? own };
    }),
  );
  return { object, records };
}

/** As in Confluent's proxy, what is wrong with fields is 422, not 400. */
export function orUnprocessable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) throw unprocessable(error.message);
    throw error;
  }
}

/** A field that is ignored would be data that is lost, such as headers. */
function refuseOthers({ fields, path }: JsonObject, known: ReadonlySet<string>): void {
  for (const name in fields)
    if (!known.has(name))
      throw new HttpProblem(
        400,
        `${path} has an unknown field ${JSON.stringify(name.slice(0, 64))}; known: ${[...known].join(', ')}.`,
      );
}
