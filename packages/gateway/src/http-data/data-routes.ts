import type { DataRoute } from './data-route.ts';
import {
  fetchByGet,
  fetchByPost,
  singleRecordByPath,
  singleRecordByQuery,
} from './definitions/fetch-definition.ts';
import { produceDefinition } from './definitions/produce-definition.ts';
import { fetchAnswer } from './fetch.ts';
import { objectOf } from './json-fields.ts';
import { produceAnswer } from './produce.ts';
import { proxyRoutes } from './rest-proxy/proxy-routes.ts';
import { placeOf, singleRecord } from './single-record.ts';

/** Routes for records, besides those of Confluent's REST proxy. */
export const recordRoutes: readonly DataRoute[] = [
  { ...fetchByGet, serve: fetchAnswer },
  { ...fetchByPost, serve: fetchAnswer },
  {
    ...singleRecordByQuery,
    serve(input, deps) {
      const { query } = input;
      const place = placeOf(query.get('topic'), query.get('partition'), query.get('offset'));
      return singleRecord(place, input, deps);
    },
  },
  {
    ...singleRecordByPath,
    serve(input, deps) {
      const { path } = input;
      const place = placeOf(String(path.topic), String(path.partition), String(path.offset));
      return singleRecord(place, input, deps);
    },
  },
  {
    ...produceDefinition,
    writes: true,
    serve: ({ body, bodyBytes, client }, deps) => produceAnswer(objectOf(body), bodyBytes, client, deps),
  },
];

export const dataRoutes: readonly DataRoute[] = [...recordRoutes, ...proxyRoutes];
