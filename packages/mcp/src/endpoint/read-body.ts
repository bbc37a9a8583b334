import type { IncomingMessage } from 'node:http';
import { ApiError } from '@weir/api';
import type { Clock } from '@weir/core';
import { mcpLimits } from '../limits.ts';

/** A body has to be there within this. */
const bodyMsMax = mcpLimits.apiBodyMsMax;

/** The whole body as text, if it is not too large and does not take too long. */
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
    // What still comes of a refused body is not kept; the connection ends with the answer.
    request.pause();
  });
}
