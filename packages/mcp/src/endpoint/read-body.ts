import type { IncomingMessage } from 'node:http';
import { ApiError } from '@weir/api';
import type { Clock } from '@weir/core';
import { readBody } from '@weir/http';
import { mcpLimits } from '../limits.ts';

const { mcpRequestBytesMax: bytesMax, apiBodyMsMax: msMax } = mcpLimits;

/** Reads the body as text, within the limits of size and time. */
export async function bodyTextOf(request: IncomingMessage, clock: Clock): Promise<string> {
  const late = () => new ApiError('invalid_request', `The body did not arrive within ${msMax} ms.`);
  const body = await readBody(request, {
    bytesMax,
    time: { clock, msMax, late },
    refusalOf: (fault) =>
      fault === 'bytes'
        ? new ApiError('payload_too_large', `The body has more than ${bytesMax} bytes.`)
        : new ApiError('context_canceled'),
  });
  return body.toString('utf8');
}
