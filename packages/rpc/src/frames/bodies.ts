import {
  anything,
  column,
  list,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from '@weir/cluster/shapes';
import { FrameError } from './frame-error.ts';

/** The bodies of the frames, except those of snapshots and changes. */

/** The first frame of the control plane. The agent sends nothing before it. */
export interface ServerHello {
  readonly release: string;
  /** The addresses of all control-plane processes, this one included. */
  readonly members: readonly string[];
  /** The region of each member, empty if it has none; earlier releases do not say it. */
  readonly regions?: readonly string[] | undefined;
  /** The limit of calls in flight. */
  readonly runningCallsMax: number;
  /** The additional limit of long-polling calls in flight. */
  readonly waitingCallsMax: number;
}

/** The answer to a ping. It carries the members, because processes come and go during a connection. */
export interface PongBody {
  readonly members: readonly string[];
  readonly regions?: readonly string[] | undefined;
}

/** The first frame of the agent, in answer to `ServerHello`. */
export interface ClientHello {
  readonly release: string;
  /** Random per client process; answers are remembered under it. */
  readonly clientId: string;
  /** The ids of its calls without an answer. All other answers may be dropped. */
  readonly pending: Float64Array;
  /**
   * Addresses that failed recently. If the leader is among them, redirecting the client is useless: its calls wait here
   * for the next leader.
   */
  readonly unreachable?: readonly string[] | undefined;
  /**
   * Addresses whose processes recently stopped answering over an open connection. If the leader is among them, calls
   * wait here until the leader has renewed its lease, or there is another one.
   */
  readonly silent?: readonly string[] | undefined;
}

interface CallBody {
  readonly method: string;
  readonly args: readonly unknown[];
}

interface ResultBody {
  readonly value?: unknown;
}

const failureKinds = ['unavailable', 'notLeader', 'invalid', 'internal'] as const;
type FailureKind = (typeof failureKinds)[number];

export interface FailureBody {
  /**
   * `unavailable`: a retry may help. `notLeader`: another process leads the cluster, at `leaderUrl` if known.
   * `invalid`: the call is wrong and stays so. `internal`: a defect of the control plane.
   */
  readonly kind: FailureKind;
  readonly message: string;
  readonly leaderUrl?: string | undefined;
}

const serverHello = object<ServerHello>({
  release: text,
  members: list(text),
  regions: optional(list(text)),
  runningCallsMax: number,
  waitingCallsMax: number,
});
const pong = object<PongBody>({ members: list(text), regions: optional(list(text)) });
const clientHello = object<ClientHello>({
  release: text,
  clientId: text,
  pending: column(Float64Array),
  unreachable: optional(list(text)),
  silent: optional(list(text)),
});
const call = object<CallBody>({ method: text, args: list(anything) });
const result = object<ResultBody>({ value: anything });
const failure = object<FailureBody>({
  kind: oneOf(...failureKinds),
  message: text,
  leaderUrl: optional(text),
});

export const readServerHello = reader(serverHello, 'hello');
export const readPong = reader(pong, 'pong');
export const readClientHello = reader(clientHello, 'hello');
export const readCall = reader(call, 'call');
export const readResult = reader(result, 'result');
export const readFailure = reader(failure, 'failure');

function reader<T>(shape: Shape<T>, name: string): (body: unknown) => T {
  return (body) => {
    const problem = shape(body, name);
    if (problem !== undefined) throw new FrameError(problem);
    return body as T;
  };
}
