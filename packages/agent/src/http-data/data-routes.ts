import type { Clock } from '@weir/core';
import type { AnswerMemory } from '../pressure/answer-memory.ts';
import { fetchAnswer } from './fetch.ts';
import type { HandlerClient } from './handler-client.ts';
import { objectOf } from './json-fields.ts';
import { produceAnswer } from './produce.ts';
import { placeOf, singleRecord } from './single-record.ts';

/** A request as its route sees it. */
interface DataInput {
  readonly path: Readonly<Record<string, string | number>>;
  readonly query: URLSearchParams;
  /** The JSON of the body; an empty body is an empty object. */
  readonly body: unknown;
  readonly bodyBytes: number;
  readonly client: HandlerClient;
}

export interface DataDeps {
  readonly answers: AnswerMemory;
  readonly clock: Clock;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** One row of the table of routes. An answer is JSON, as a whole or in pieces. */
export interface DataRoute {
  /** Its name in metrics. */
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of requests without the header `kafka-client-id`. */
  readonly clientId: string;
  readonly takesBody: boolean;
  serve(input: DataInput, deps: DataDeps): Promise<string> | AsyncIterable<string>;
}

const fetchRow = {
  operation: 'fetch',
  path: '/v1/kafka/fetch',
  clientId: 'http-fetch-client',
  takesBody: true,
  serve: ({ body, bodyBytes, client }: DataInput, deps: DataDeps) =>
    fetchAnswer(objectOf(body), bodyBytes, client, deps),
} as const;

const singleRecordRow = {
  operation: 'fetch_single_record',
  method: 'GET',
  clientId: 'http-fetch-single-record-client',
  takesBody: false,
} as const;

export const dataRoutes: readonly DataRoute[] = [
  { ...fetchRow, method: 'GET' },
  { ...fetchRow, method: 'POST' },
  {
    ...singleRecordRow,
    path: '/v1/kafka/fetch_single_record',
    serve({ query, client }, { pause }) {
      const place = placeOf(query.get('topic'), query.get('partition'), query.get('offset'));
      return singleRecord(place, client, pause);
    },
  },
  {
    ...singleRecordRow,
    path: '/v1/kafka/topics/{topic}/partitions/{partition}/records/{offset}',
    serve({ path, client }, { pause }) {
      const place = placeOf(String(path.topic), String(path.partition), String(path.offset));
      return singleRecord(place, client, pause);
    },
  },
  {
    operation: 'produce',
    method: 'POST',
    path: '/v1/kafka/produce',
    clientId: 'http-produce-client',
    takesBody: true,
    serve: ({ body, bodyBytes, client }, { clock }) =>
      produceAnswer(objectOf(body), bodyBytes, client, clock.nowMs()),
  },
];
