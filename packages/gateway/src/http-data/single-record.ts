import { HttpProblem } from '@weir/http';
import { errorByCode } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import type { DataDeps, DataInput } from './data-route.ts';
import { BatchTooLarge, fetchedRecords } from './fetched-records.ts';
import { formattedRecords } from './formatted-records.ts';
import { bytesOf, fetchOne } from './kafka-fetch.ts';
import { formatsIn } from './record-formats.ts';
import { piecesOf } from './record-pieces.ts';
import { overloaded } from './request-body.ts';

interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

const integerText = /^\d{1,16}$/;

/** Reads the place of a record from the texts of a query or path. */
export function placeOf(
  topic: string | null | undefined,
  partition: string | null | undefined,
  offset: string | null | undefined,
): RecordPlace {
  if (topic === null || topic === undefined || topic === '')
    throw new HttpProblem(400, 'topic must be the name of a topic.');
  return {
    topic,
    partition: integer(partition, 'partition', 2 ** 31 - 1),
    offset: integer(offset, 'offset'),
  };
}

function integer(text: string | null | undefined, name: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = integerText.test(text ?? '') ? Number(text) : Number.NaN;
  if (!(value <= max)) throw new HttpProblem(400, `${name} must be an integer from 0 to ${max}.`);
  return value;
}

/** Yields one record as JSON. */
export async function* singleRecord(
  place: RecordPlace,
  { query, client, registryAccess }: DataInput,
  deps: DataDeps,
): AsyncGenerator<string, void, undefined> {
  const { topic, partition, offset } = place;
  if (deps.answers.isFull) throw overloaded();
  const formats = formatsIn((name) => query.get(name));
  const formatted = await formattedRecords(formats, registryAccess, deps);
  const fetched = await fetchOne(topic, partition, offset, client);
  const error = errorByCode(fetched.errorCode)?.name ?? 'UNKNOWN_SERVER_ERROR';
  switch (error) {
    case 'NONE':
      break;
    case 'TOPIC_AUTHORIZATION_FAILED':
      throw new HttpProblem(400, `The caller may not read the topic ${topic}.`, {
        errorCode: fetched.errorCode,
      });
    case 'INVALID_TOPIC_EXCEPTION':
    case 'UNKNOWN_TOPIC_ID':
      throw new HttpProblem(404, `Topic ${topic} not found.`, { errorCode: 40401 });
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      throw new HttpProblem(404, `The topic ${topic} has no partition ${partition}.`, { errorCode: 40402 });
    case 'OFFSET_OUT_OF_RANGE':
      throw missing(place);
    default:
      throw new HttpProblem(503, `Kafka error ${error}; try again.`, { errorCode: fetched.errorCode });
  }
  const fromOffset = BigInt(offset);
  const options = {
    fromOffset,
    aborted: null,
    pause: deps.pause,
    bytesMax: gatewayLimits.httpBatchInflatedBytesMax,
    inflated: deps.inflated,
  };
  try {
    for await (const record of fetchedRecords(bytesOf(fetched), options)) {
      if (record.offset !== fromOffset) break;
      // In place of the brace with which the record begins.
      let head = `{"topic":${JSON.stringify(topic)},"partition":${partition},`;
      for await (const piece of piecesOf(record, formatted)) {
        yield head === '' ? piece : `${head}${piece.slice(1)}`;
        head = '';
      }
      return;
    }
  } catch (error) {
    if (error instanceof BatchTooLarge) throw new HttpProblem(422, error.message);
    throw error;
  }
  throw missing(place);
}

function missing({ topic, partition, offset }: RecordPlace): HttpProblem {
  return new HttpProblem(404, `Partition ${partition} of ${topic} has no record at offset ${offset}.`);
}
