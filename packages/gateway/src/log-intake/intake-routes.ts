import type { DataRoute } from '../http-data/data-route.ts';
import { datadogAnswer, datadogAuthorization, datadogLines, datadogProblem } from './datadog.ts';
import {
  datadogDefinition,
  lokiDefinition,
  oldDatadogDefinition,
  otlpDefinition,
  validateDefinition,
} from './intake-definitions.ts';
import { lokiAnswer, lokiEncodings, lokiLines, lokiProblem } from './loki.ts';
import { otlpAnswer, otlpLines, otlpProblem } from './otlp.ts';
import { admitLogs, takeLogs } from './take-logs.ts';

const datadog: Pick<
  DataRoute,
  'takesBytes' | 'writes' | 'admit' | 'authorizationIn' | 'problemAnswer' | 'serve'
> = {
  takesBytes: true,
  writes: true,
  admit: admitLogs,
  authorizationIn: datadogAuthorization,
  problemAnswer: datadogProblem,
  serve: async (input, deps) => datadogAnswer(await takeLogs('datadog', datadogLines, input, deps)),
};

/** Batches of logs in the forms that shippers send, each line of which becomes one record of a topic. */
export const intakeRoutes: readonly DataRoute[] = [
  { ...datadogDefinition, ...datadog },
  { ...oldDatadogDefinition, ...datadog },
  {
    ...validateDefinition,
    authorizationIn: datadogAuthorization,
    problemAnswer: datadogProblem,
    serve: async () => '{"valid":true}',
  },
  {
    ...otlpDefinition,
    takesBytes: true,
    writes: true,
    admit: admitLogs,
    problemAnswer: otlpProblem,
    serve: async (input, deps) => otlpAnswer(await takeLogs('otlp', otlpLines, input, deps), input),
  },
  {
    ...lokiDefinition,
    takesBytes: true,
    writes: true,
    admit: admitLogs,
    encodingsIn: lokiEncodings,
    problemAnswer: lokiProblem,
    serve: async (input, deps) => lokiAnswer(await takeLogs('loki', lokiLines, input, deps)),
  },
];
