import type { RouteDefinition } from '@weir/http';

export const openApiDefinition = {
  id: 'openapi',
  method: 'GET',
  path: '/v1/openapi.json',
  summary: 'This API as an OpenAPI 3.1 document.',
  access: 'open',
  answer: {
    types: ['application/json'],
    schema: {
      type: 'object',
      properties: { openapi: { type: 'string' }, paths: { type: 'object' } },
      required: ['openapi', 'paths'],
    },
    description: 'The document.',
  },
  example: { target: '/v1/openapi.json' },
} as const satisfies RouteDefinition;
