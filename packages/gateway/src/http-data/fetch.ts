import { Pace } from '@weir/broker';
import type { FetchQuery } from '@weir/client';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import type { DataDeps, DataInput } from './data-route.ts';
import { fetchBounds } from './definitions/fetch-definition.ts';
import { BatchTooLarge, fetchedRecords } from './fetched-records.ts';
import { formattedRecords } from './formatted-records.ts';
import { integerIn, type JsonObject, objectOf, objectsIn, textIn } from './json-fields.ts';
import { bytesOf, type FetchedPartition, fetch } from './kafka-fetch.ts';
import { formatsIn, type RecordFormats } from './record-formats.ts';
import { recordJson } from './record-json.ts';
import { isSmall, piecesOf } from './record-pieces.ts';
import { overloaded } from './request-body.ts';
import { storedBytes } from './stored-bytes.ts';

/** Text of the answer that is sent at a time. */
const pieceChars = 64 * 1024;
/** What a partition costs without its records, as steps of `Pace`. */
const partitionSteps = 40;

/** What a body of `/v1/kafka/fetch` asks for. */
interface FetchBody extends FetchQuery {
  readonly formats: RecordFormats;
}

/** Fetches what a body of `/v1/kafka/fetch` asks for and yields the answer piece by piece. */
export async function* fetchAnswer(
  { body, bodyBytes, client, registryAccess }: DataInput,
  deps: DataDeps,
): AsyncGenerator<string, void, undefined> {
  const { answers, inflated, pause } = deps;
  if (answers.isFull) throw overloaded();
  const query = readBody(objectOf(body));
  const formatted = await formattedRecords(query.formats, registryAccess, deps);
  const response = await fetch(query, client, bodyBytes);
  // It refers to pages until it is sent.
  let heldBytes = response.responses.reduce(
    (sum, { partitions }) => sum + partitions.reduce((bytes, one) => bytes + storedBytes(one), 0),
    0,
  );
  answers.change(heldBytes);
  const offsets = new Map(
    query.topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [`${topic} ${partition}`, BigInt(offset)] as const),
    ),
  );
  try {
    const pace = new Pace();
    let piece = `{"topics":[`;
    for (const [nth, { topic = '', partitions }] of response.responses.entries()) {
      piece += `${nth === 0 ? '' : ','}{"topic":${JSON.stringify(topic)},"partitions":[`;
      for (const [index, partition] of partitions.entries()) {
        piece += `${index === 0 ? '' : ','}${partitionHead(partition)}`;
        const fromOffset = offsets.get(`${topic} ${partition.partitionIndex}`) ?? 0n;
        const progress = { nextOffset: fromOffset };
        const records = formatted?.isFull === true ? Buffer.alloc(0) : bytesOf(partition);
        let problem = '';
        let nextOffset = fromOffset;
        try {
          let separator = '';
          const found = fetchedRecords(records, {
            fromOffset,
            progress,
            aborted: partition.abortedTransactions ?? null,
            pause,
            bytesMax: gatewayLimits.httpFetchInflatedBytesMax,
            inflated,
          });
          for await (const record of found) {
            const { offset } = record;
            const isPlain = formatted === undefined && isSmall(record);
            for await (const part of isPlain ? [recordJson(record)] : piecesOf(record, formatted)) {
              piece += `${separator}${part}`;
              separator = '';
              if (piece.length < pieceChars) continue;
              yield piece;
              piece = '';
            }
            separator = ',';
            nextOffset = offset + 1n;
            if (formatted?.isFull !== true) continue;
            progress.nextOffset = nextOffset;
            break;
          }
        } catch (error) {
          // The answer has begun, and other partitions can be read.
          if (!(error instanceof BatchTooLarge) && !(error instanceof HttpProblem)) throw error;
          problem = `,"problem":${JSON.stringify(error.message)}`;
          // Records of a batch that were sent before one that cannot be.
          if (nextOffset > progress.nextOffset) progress.nextOffset = nextOffset;
        } finally {
          const stored = storedBytes(partition);
          heldBytes -= stored;
          answers.change(-stored);
        }
        piece += `],"next_offset":${progress.nextOffset}${problem}}`;
        if (pace.isOver(partitionSteps)) await pause();
        if (piece.length < pieceChars) continue;
        yield piece;
        piece = '';
      }
      piece += ']}';
    }
    yield `${piece}]}`;
  } finally {
    answers.change(-heldBytes);
  }
}

function partitionHead(partition: FetchedPartition): string {
  const {
    partitionIndex,
    errorCode,
    highWatermark,
    lastStableOffset = -1n,
    logStartOffset = -1n,
  } = partition;
  return `{"partition":${partitionIndex},"error_code":${errorCode},"high_watermark":${highWatermark},"last_stable_offset":${lastStableOffset},"log_start_offset":${logStartOffset},"records":[`;
}

function readBody(body: JsonObject): FetchBody {
  const { httpPartitionsMax } = gatewayLimits;
  let count = 0;
  const topics = objectsIn(body, 'topics').map((entry) => {
    const topic = textIn(entry, 'topic');
    const partitions = objectsIn(entry, 'partitions');
    // A topic without partitions is work as well.
    count += Math.max(1, partitions.length);
    if (count > httpPartitionsMax)
      throw new HttpProblem(
        413,
        `The request asks for more than ${httpPartitionsMax} partitions; ask for fewer at a time.`,
      );
    return {
      topic,
      partitions: partitions.map((one) => ({
        partition: integerIn(one, 'partition', fetchBounds.partition),
        offset: integerIn(one, 'fetch_offset', fetchBounds.fetch_offset),
        bytesMax: integerIn(one, 'partition_max_bytes', fetchBounds.partition_max_bytes),
      })),
    };
  });
  return {
    topics,
    bytesMax: integerIn(body, 'max_bytes', fetchBounds.max_bytes),
    waitMs: integerIn(body, 'max_wait_ms', fetchBounds.max_wait_ms),
    minBytes: integerIn(body, 'min_bytes', fetchBounds.min_bytes),
    isolationLevel: integerIn(body, 'isolation_level', fetchBounds.isolation_level),
    formats: formatsIn((name) => body.fields[name]),
  };
}
