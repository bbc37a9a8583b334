import type { Shape } from '../shapes/shape.ts';

/**
 * Why it is safe to retry a call whose answer may have been lost.
 *
 * `dedupe-in-process`: the answering process stores the answer until the caller has confirmed it, and returns it again.
 * Committed files are also remembered in the machine, across restarts of the process.
 * `dedupe-durable`: as above, and the answer is stored in the cluster state together with the change, so that a new
 * leader returns it too.
 * `reexecute`: the call is executed again; it is idempotent.
 */
type OnRetry = 'dedupe-in-process' | 'dedupe-durable' | 'reexecute';

/**
 * Which component answers a call.
 *
 * `command`: the state machine decides and writes a journal entry.
 * `query`: the state machine answers without a change of state.
 * `leader`: a stateful component of the leader answers, for example the group coordinator.
 */
export type CallKind = 'command' | 'query' | 'leader';

interface CallOptions {
  /** After this time the call fails: the control plane is unavailable. */
  readonly deadlineMs?: number;
  readonly onRetry?: OnRetry;
  /**
   * The answer may depend on other calls, as when members of a group wait for each other. Such calls have a separate
   * limit (`rpcLimits.rpcWaitingCallsMax`): under the limit of running calls they could block the very calls that
   * they wait for.
   */
  readonly waits?: true;
  /**
   * Only control-plane processes may make the call. All other calls are those that an agent needs for itself and for
   * its Kafka clients, which it authorises. This bounds what a stolen agent key can do (SECURITY.md).
   */
  readonly membersOnly?: true;
  /**
   * The call maps a list to a list of the same order with independent entries, so a long list can be split into several
   * calls.
   */
  readonly splits?: true;
  /** An entry of the list takes ten microseconds and more, so that a call has fewer of them. */
  readonly hasCostlyEntries?: true;
}

/**
 * One call of the port: its arguments, the component that answers it, and how it is sent. The type of the port derives
 * from it.
 */
export interface Call<Args extends readonly unknown[], Answer, Kind extends CallKind = CallKind> {
  readonly kind: Kind;
  readonly args: Shape<Args>;
  readonly deadlineMs: number;
  readonly onRetry: OnRetry;
  readonly waits: boolean;
  readonly membersOnly: boolean;
  readonly splits: boolean;
  readonly hasCostlyEntries: boolean;
  /** Exists only for type inference. */
  readonly _answer?: Answer;
}

/** The calls of a table as methods. */
export type PortOf<Table> = {
  [Name in keyof Table]: Table[Name] extends Call<infer Args, infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never;
};

const defaultDeadlineMs = 30_000;

export function command<Args extends readonly unknown[], Answer>(
  args: Shape<Args>,
  options: CallOptions = {},
): Call<Args, Answer, 'command'> {
  return callOf('command', args, { onRetry: 'dedupe-durable', ...options });
}

export function query<Args extends readonly unknown[], Answer>(
  args: Shape<Args>,
  options: CallOptions = {},
): Call<Args, Answer, 'query'> {
  return callOf('query', args, { onRetry: 'reexecute', ...options });
}

export function leaderCall<Args extends readonly unknown[], Answer>(
  args: Shape<Args>,
  options: CallOptions & { readonly onRetry: OnRetry },
): Call<Args, Answer, 'leader'> {
  return callOf('leader', args, options);
}

function callOf<Args extends readonly unknown[], Answer, Kind extends CallKind>(
  kind: Kind,
  args: Shape<Args>,
  options: CallOptions & { readonly onRetry: OnRetry },
): Call<Args, Answer, Kind> {
  const { deadlineMs = defaultDeadlineMs, onRetry } = options;
  return {
    kind,
    args,
    deadlineMs,
    onRetry,
    waits: options.waits === true,
    membersOnly: options.membersOnly === true,
    splits: options.splits === true,
    hasCostlyEntries: options.hasCostlyEntries === true,
  };
}
