import type { DataRoute } from '../data-route.ts';
import { consumerRoutes } from './consumers/consumer-routes.ts';
import {
  brokersDefinition,
  partitionDefinition,
  partitionsDefinition,
  produceToPartition,
  produceToTopic,
  topicDefinition,
  topicsDefinition,
} from './proxy-definitions.ts';
import { proxyErrorCodes } from './proxy-problems.ts';
import { admitProduce, proxyProduce } from './proxy-produce.ts';
import {
  listBrokers,
  listTopics,
  partitionAnswer,
  partitionIn,
  partitionsAnswer,
  topicAnswer,
} from './proxy-topics.ts';

const errorCodes = proxyErrorCodes;

/** The API v2 of Confluent's REST proxy. */
export const proxyRoutes: readonly DataRoute[] = [
  {
    ...produceToTopic,
    keepsNumbers: true,
    writes: true,
    admit: admitProduce,
    errorCodes,
    serve: (input, deps) => proxyProduce(input, deps, String(input.path.topic)),
  },
  {
    ...produceToPartition,
    keepsNumbers: true,
    writes: true,
    admit: admitProduce,
    errorCodes,
    async serve(input, deps) {
      const topic = String(input.path.topic);
      return await proxyProduce(input, deps, topic, partitionIn(topic, String(input.path.partition)));
    },
  },
  { ...brokersDefinition, errorCodes, serve: ({ client }) => listBrokers(client) },
  { ...topicsDefinition, errorCodes, serve: ({ client }) => listTopics(client) },
  {
    ...topicDefinition,
    errorCodes,
    serve: ({ client, path }) => topicAnswer(client, String(path.topic)),
  },
  {
    ...partitionsDefinition,
    errorCodes,
    serve: ({ client, path }) => partitionsAnswer(client, String(path.topic)),
  },
  {
    ...partitionDefinition,
    errorCodes,
    serve: ({ client, path }) => partitionAnswer(client, String(path.topic), String(path.partition)),
  },
  ...consumerRoutes,
];
