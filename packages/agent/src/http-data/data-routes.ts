import type { DataRoute } from './data-route.ts';
import { fetchAnswer } from './fetch.ts';
import { objectOf } from './json-fields.ts';
import { produceAnswer } from './produce.ts';
import { proxyRoutes } from './rest-proxy/proxy-routes.ts';
import { placeOf, singleRecord } from './single-record.ts';

const fetchRow = {
  operation: 'fetch',
  path: '/v1/kafka/fetch',
  clientId: 'http-fetch-client',
  takesBody: true,
  serve: fetchAnswer,
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
    serve(input, deps) {
      const { query } = input;
      const place = placeOf(query.get('topic'), query.get('partition'), query.get('offset'));
      return singleRecord(place, input, deps);
    },
  },
  {
    ...singleRecordRow,
    path: '/v1/kafka/topics/{topic}/partitions/{partition}/records/{offset}',
    serve(input, deps) {
      const { path } = input;
      const place = placeOf(String(path.topic), String(path.partition), String(path.offset));
      return singleRecord(place, input, deps);
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
  ...proxyRoutes,
];
