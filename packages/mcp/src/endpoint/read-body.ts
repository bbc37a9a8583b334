import type { IncomingMessage } from 'node:http';
import { ApiError } from '@weir/api';
import type { Clock } from '@weir/core';
import { mcpLimits } from '../limits.ts';

/** The whole body must arrive within this time. */
const bodyMsMax = mcpLimits.apiBodyMsMax;

/** Reads the body as text, within the limits of size and time. */
export function readBody(request: IncomingMessage, clock: Clock): Promise<string> {
  const bytesMax = mcpLimits.mcpRequestBytesMax;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const tooLarge = () =>
    reject(new ApiError('payload_too_large', `The body has more than ${bytesMax} bytes.`));
  const takeChunk = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) tooLarge();
    else chunks.push(chunk);
  };
  const takeEnd = () => resolve(Buffer.concat(chunks).toString('utf8'));
  const takeLoss = () => reject(new ApiError('context_canceled'));
  const cancel = clock.after(bodyMsMax, () =>
    reject(new ApiError('invalid_request', `The body did not come within ${bodyMsMax} ms.`)),
  );
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) tooLarge();
  else request.on('data', takeChunk).on('end', takeEnd).on('error', takeLoss).on('close', takeLoss);
  return promise.finally(() => {
    cancel();
    request.off('data', takeChunk).off('end', takeEnd).off('close', takeLoss);
    // The rest of a refused body is discarded; the connection ends with the response.
    request.pause();
  });
}
