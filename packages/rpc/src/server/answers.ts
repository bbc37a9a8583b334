import { ClusterUnavailable } from '@weir/cluster';
import type { FailureBody } from '../frames/bodies.ts';
import { encodeFrame, replyLimits } from '../frames/frame.ts';
import type { Outcome } from './reply-memory.ts';
import type { ServeOptions } from './serve-options.ts';

type FailureContext = Pick<ServeOptions, 'log' | 'clusterId'>;

/** Whether the call was not executed, and may be when it is repeated. */
export function isPassing({ kind }: FailureBody): boolean {
  return kind === 'unavailable' || kind === 'notLeader';
}

/** Encodes the answer to a call. A value that cannot be encoded becomes a failure. */
export function answerFrame(
  callId: number,
  method: string,
  outcome: Outcome,
  context: FailureContext,
): Uint8Array {
  if ('failure' in outcome) return encodeFrame('failure', callId, outcome.failure);
  try {
    const frame = encodeFrame('result', callId, { value: outcome.value });
    if (frame.length <= replyLimits.frameBytesMax) return frame;
    const message = `${method}: response of ${frame.length} bytes is too large; request less at a time`;
    return encodeFrame('failure', callId, { kind: 'invalid', message });
  } catch (error) {
    return encodeFrame('failure', callId, failureOf(error, method, context));
  }
}

/** The failure to send for an error of the cluster; logs errors that are defects. */
export function failureOf(error: unknown, method: string, { log, clusterId }: FailureContext): FailureBody {
  if (error instanceof ClusterUnavailable) {
    const { message } = error;
    if (!('leaderUrl' in error)) return { kind: 'unavailable', message };
    const leaderUrl = typeof error.leaderUrl === 'string' ? error.leaderUrl : undefined;
    return { kind: 'notLeader', message, leaderUrl };
  }
  const message = error instanceof Error ? error.message : String(error);
  log.error('failed to serve call of agent', {
    clusterId,
    method,
    error: message,
    stack: error instanceof Error ? error.stack : undefined,
  });
  return { kind: 'internal', message: `${method}: ${message}` };
}
