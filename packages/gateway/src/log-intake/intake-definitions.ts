import type { RouteDefinition } from '@weir/http';
import { list, object, text } from '@weir/http';

/** Of all routes that take logs. */
const intake = {
  method: 'POST',
  access: 'data',
  right: '`WRITE` on the topic.',
  clientId: 'http-log-intake-client',
} as const;

const topic = {
  in: 'query',
  schema: text(
    'The topic; else that of the header `kafka-topic`, else of the flag `-logIntakeDefaultTopic`.',
  ),
} as const;

const errors = {
  400: 'What is wrong with the request or its lines, in one line; those that can be written are.',
  404: 'The topic does not exist.',
  413: 'The body is too large, too deep, or has too many lines or values.',
} as const;

const datadog = {
  ...intake,
  operation: 'log_intake_datadog',
  parameters: {
    topic,
    ddtags: { in: 'query', schema: text('Tags of all lines, separated by commas.') },
    ddsource: { in: 'query', schema: text('The source of lines that have none.') },
    service: { in: 'query', schema: text('The service of lines that have none.') },
    hostname: { in: 'query', schema: text('The host of lines that have none.') },
  },
  body: {
    types: ['application/json', 'text/plain'],
    schema: list(
      object(
        {},
        {
          message: text('Or `msg`, or `log`.'),
          timestamp: text('Or `date`, or `@timestamp`; a number of any unit, or ISO 8601.'),
          status: text('Or `severity`, or `level`.'),
          service: text(),
          hostname: text('Or `host`.'),
          ddsource: text(),
          ddtags: text('Separated by commas.'),
        },
      ),
      { description: 'Lines, or a single one. Further fields are attributes.' },
    ),
  },
  answer: {
    status: 202,
    types: ['application/json'],
    schema: object({}),
    description: 'All lines are durable.',
  },
  errors,
} as const;

const datadogBody = [{ message: 'hello', service: 'shop', status: 'info' }];

export const datadogDefinition = {
  ...datadog,
  id: 'log_intake_datadog',
  path: '/api/v2/logs',
  summary:
    'Takes logs as the intake of Datadog does. Keys in `DD-API-KEY` that are `user:password` are logins.',
  example: { target: '/api/v2/logs?topic=orders&ddtags=env:dev', body: datadogBody, answer: {} },
} as const satisfies RouteDefinition;

export const oldDatadogDefinition = {
  ...datadog,
  id: 'log_intake_datadog_v1',
  path: '/v1/input',
  summary: 'The same on the path of older shippers.',
  example: { target: '/v1/input?topic=orders', body: datadogBody, answer: {} },
} as const satisfies RouteDefinition;

export const validateDefinition = {
  id: 'log_intake_validate',
  operation: 'log_intake_validate',
  method: 'GET',
  path: '/api/v1/validate',
  summary: 'Whether the key of a shipper of Datadog is valid: it is if the caller may log in.',
  access: 'data',
  clientId: intake.clientId,
  answer: {
    types: ['application/json'],
    schema: object({ valid: { type: 'boolean' } }),
    description: 'The key is valid, or none is needed.',
  },
  example: { target: '/api/v1/validate', answer: { valid: true } },
} as const satisfies RouteDefinition;

export const otlpDefinition = {
  ...intake,
  id: 'log_intake_otlp',
  operation: 'log_intake_otlp',
  path: '/v1/logs',
  summary: 'Takes logs of OpenTelemetry (OTLP/HTTP), in JSON or protobuf. Errors are a `Status` of gRPC.',
  parameters: { topic },
  body: {
    types: ['application/json', 'application/x-protobuf'],
    schema: object({
      resourceLogs: list({ type: 'object' }, { description: 'As in `ExportLogsServiceRequest`.' }),
    }),
  },
  answer: {
    types: ['application/json', 'application/x-protobuf'],
    schema: object(
      {},
      {
        partialSuccess: object(
          { rejectedLogRecords: text('The number of refused lines.'), errorMessage: text() },
          {},
        ),
      },
    ),
    description: 'All lines that are not refused are durable. The type is that of the request.',
  },
  errors,
  example: {
    target: '/v1/logs?topic=orders',
    headers: { 'content-type': 'application/json' },
    body: {
      resourceLogs: [
        { scopeLogs: [{ logRecords: [{ severityText: 'INFO', body: { stringValue: 'hello' } }] }] },
      ],
    },
    answer: {},
  },
} as const satisfies RouteDefinition;

export const lokiDefinition = {
  ...intake,
  id: 'log_intake_loki',
  operation: 'log_intake_loki',
  path: '/loki/api/v1/push',
  summary: 'Takes logs as Loki does, in JSON, or in protobuf with snappy. Errors are text.',
  parameters: { topic },
  body: {
    types: ['application/json', 'application/x-protobuf'],
    schema: object({
      streams: list(
        object({
          stream: { type: 'object', additionalProperties: text(), description: 'Labels.' },
          values: list(list({}), {
            description: 'Each has a time in nanoseconds, a line, and structured metadata if there is some.',
          }),
        }),
      ),
    }),
  },
  answer: { status: 204, types: [], description: 'All lines are durable.' },
  errors,
  example: {
    target: '/loki/api/v1/push?topic=orders',
    headers: { 'content-type': 'application/json' },
    body: {
      streams: [{ stream: { service_name: 'shop' }, values: [['1700000000000000000', 'hello']] }],
    },
  },
} as const satisfies RouteDefinition;
