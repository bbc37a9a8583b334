import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { closeMessage, type ThreadCall, type ThreadResponse, type ThreadWarning } from './thread-call.ts';

export type { ThreadCall } from './thread-call.ts';

interface CallServer {
  /** The number of calls that are served together at most. */
  readonly callsMax: number;
  /** Serves calls that arrived together. Each gets one response. */
  serve(calls: readonly ThreadCall[], respond: (response: ThreadResponse) => void): void;
  close(): void | Promise<void>;
}

/** Serves the calls to the database of this thread, until its owner closes it. */
export function serveCalls({ callsMax, serve, close }: CallServer): void {
  const port = parentPort!;
  port.on('message', (first: ThreadCall | typeof closeMessage) => {
    const calls: ThreadCall[] = [];
    let message: typeof first | undefined = first;
    while (message !== undefined && message !== closeMessage) {
      calls.push(message);
      if (calls.length === callsMax) break;
      message = receiveMessageOnPort(port)?.message as typeof message;
    }
    if (calls.length > 0) serve(calls, respond);
    if (message === closeMessage) void Promise.resolve(close()).finally(() => port.close());
  });
}

/** The memory of the pieces that a result has is moved to the caller. */
function respond(response: ThreadResponse): void {
  const { pieces = [] } = (response.result ?? {}) as { readonly pieces?: readonly Uint8Array<ArrayBuffer>[] };
  parentPort!.postMessage(
    response,
    pieces.map(({ buffer }) => buffer),
  );
}

/** Makes the owner of this thread log a warning. */
export function warn(fields: ThreadWarning['fields']): void {
  const warning: ThreadWarning = { fields };
  parentPort!.postMessage(warning);
}
