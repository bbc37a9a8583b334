import type { DataRoute } from '../data-route.ts';
import { proxyTypes } from './media-types.ts';
import { proxyErrorCodes } from './proxy-problems.ts';
import { proxyProduce } from './proxy-produce.ts';
import { listTopics, partitionAnswer, partitionIn, partitionsAnswer, topicAnswer } from './proxy-topics.ts';

const produceRow = {
  operation: 'rest_proxy_produce',
  method: 'POST',
  clientId: 'http-produce-client',
  takesBody: true,
  keepsNumbers: true,
  answerTypes: proxyTypes,
  errorCodes: proxyErrorCodes,
} as const;

const topicsRow = {
  operation: 'rest_proxy_topics',
  method: 'GET',
  clientId: 'http-topics-client',
  takesBody: false,
  answerTypes: proxyTypes,
  errorCodes: proxyErrorCodes,
} as const;

/** What of the API v2 of Confluent's REST proxy writes records and lists topics. */
export const proxyRoutes: readonly DataRoute[] = [
  {
    ...produceRow,
    path: '/topics/{topic}',
    serve: (input, deps) => proxyProduce(input, deps, String(input.path.topic)),
  },
  {
    ...produceRow,
    path: '/topics/{topic}/partitions/{partition}',
    async serve(input, deps) {
      const topic = String(input.path.topic);
      return await proxyProduce(input, deps, topic, partitionIn(topic, String(input.path.partition)));
    },
  },
  { ...topicsRow, path: '/topics', serve: ({ client }) => listTopics(client) },
  {
    ...topicsRow,
    path: '/topics/{topic}',
    serve: ({ client, path }) => topicAnswer(client, String(path.topic)),
  },
  {
    ...topicsRow,
    path: '/topics/{topic}/partitions',
    serve: ({ client, path }) => partitionsAnswer(client, String(path.topic)),
  },
  {
    ...topicsRow,
    path: '/topics/{topic}/partitions/{partition}',
    serve: ({ client, path }) => partitionAnswer(client, String(path.topic), String(path.partition)),
  },
];
