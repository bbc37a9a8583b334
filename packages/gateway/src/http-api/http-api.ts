import type { RouteDefinition } from '@weir/http';
import { metricsDefinition, readyDefinition, statusDefinition } from '@weir/http';
import { debugRoutes } from '../debug/debug-routes.ts';
import { recordRoutes } from '../http-data/data-routes.ts';
import { proxyRoutes } from '../http-data/rest-proxy/proxy-routes.ts';
import { intakeRoutes } from '../log-intake/intake-routes.ts';
import { openApiDefinition } from './openapi-definition.ts';

interface HttpArea {
  readonly title: string;
  /** Markdown. */
  readonly introduction: string;
  readonly routes: readonly RouteDefinition[];
}

/** All that an agent serves on its HTTP port, except to other agents. */
export const httpAreas: readonly HttpArea[] = [
  {
    title: 'Records',
    introduction:
      'Records of any number of topics, as a Kafka client of the agent reads and writes them. Keys, values and values of headers are base64 or null, unless a fetch asks for another format.',
    routes: recordRoutes,
  },
  {
    title: "Confluent's REST proxy",
    introduction: "The API v2 of Confluent's REST proxy, for its clients.",
    routes: proxyRoutes,
  },
  {
    title: 'Logs',
    introduction:
      'Batches of logs in the forms that shippers send; each line becomes one record. [Logs over HTTP](../guides/log-intake.md) says what is in it.',
    routes: intakeRoutes,
  },
  {
    title: 'Debugging',
    introduction:
      'What the agent does, for its operators. [Debugging agents](../operate/debugging.md) says who may call these routes, and with which tools.',
    routes: debugRoutes,
  },
  {
    title: 'Probes, metrics and this description',
    introduction: 'They need no login. [Probes](../operate/probes.md) says what they mean.',
    routes: [statusDefinition, readyDefinition, metricsDefinition, openApiDefinition],
  },
];

export const httpDefinitions: readonly RouteDefinition[] = httpAreas.flatMap(({ routes }) => routes);

/** What errors of a route mean, by status: those of its definition, and of all routes of its kind. */
export function errorsOf(definition: RouteDefinition): Readonly<Record<number, string>> {
  if (definition.access === 'open') return definition.errors ?? {};
  return {
    ...(definition.body === undefined && definition.parameters === undefined ? {} : inputErrors),
    ...(definition.body === undefined ? {} : bodyErrors),
    ...loginErrors,
    ...(definition.answer.types.length > 1 ? acceptErrors : {}),
    ...definition.errors,
  };
}

/** What errors mean that many routes have, by status. */
export const commonErrors = () => ({ ...inputErrors, ...loginErrors, ...acceptErrors, ...bodyErrors });

const inputErrors = { 400: 'What is wrong with the request, in one line.' };

const acceptErrors = { 406: 'None of the types of the answer is in `Accept`.' };

const bodyErrors = {
  413: 'The body is too large, too deep, or has too many values.',
  415: 'The body has a content type or an encoding that is not accepted.',
};

const loginErrors = {
  401: 'No login, or a wrong one.',
  403: 'A web page of another host, or Kafka clients authenticate by certificates, which HTTP does not have.',
  503: 'Too many requests at a time, or what they need is not available; try again.',
};
