import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '@weir/core';
import { drained, HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';

const chunkBytes = 64 * 1024;
const zeros = Buffer.alloc(chunkBytes);

let running = 0;

/**
 * Sends so many bytes as fast as the client reads them. No part repeats an earlier one, so that nothing on the way can
 * compress them. Throws an `HttpProblem` with 409 if too many run already.
 */
export async function sendRandomBytes(response: ServerResponse, bytes: number, clock: Clock): Promise<void> {
  if (running >= gatewayLimits.speedTestsMax)
    throw new HttpProblem(409, 'Other speed tests are running; try again when they have ended.');
  running++;
  const cancel = clock.after(gatewayLimits.speedTestMsMax, () => response.destroy());
  try {
    // A cipher gives random bytes several times as fast as the system does.
    const cipher = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes });
    for (let left = bytes; left > 0 && !response.destroyed; left -= chunkBytes) {
      const chunk = cipher.update(left < chunkBytes ? zeros.subarray(0, left) : zeros);
      if (!response.write(chunk)) await drained(response);
    }
    response.end();
    if (!response.closed) await once(response, 'close');
  } finally {
    cancel();
    running--;
  }
}
