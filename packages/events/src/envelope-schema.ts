import * as z from 'zod';

/**
 * The stored and served form of an event: a CloudEvents envelope in JSON, with a payload that depends on the type.
 * Unknown attributes of the envelope are preserved.
 */
export const eventEnvelope = z.looseObject({
  specversion: z.string().describe('The version of the envelope, `1.0`.'),
  id: z.string().min(1).describe('An id that no other event has.'),
  source: z
    .string()
    .min(1)
    .describe(
      'Who emitted it: an agent, as `ws:agent:<virtual cluster id>:<agent id>`, or a part of the control plane.',
    ),
  type: z.string().min(1).describe('One of the types below.'),
  time: z.iso.datetime().describe('When it happened: RFC 3339 in UTC, with fractions of a second.'),
  datacontenttype: z.string().describe('What `data` is, `application/json`.'),
  data: z.record(z.string(), z.json()).describe('What happened; its fields depend on the type.'),
});
