import { ApiError, type Operation, type OperationName } from '@weir/api';
import type { Clock, Log } from '@weir/core';
import type { AuditChange } from '../accounts/audit/audit-log.ts';
import type { AuditRead } from '../accounts/audit/audit-read.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { BrowserSession, CallContext } from '../operations/call-context.ts';
import type { SomeHandlers } from '../operations/handler.ts';
import { authorize, type Permit, publicPermit } from './authorize.ts';
import type { Caller } from './caller.ts';

/** A call of an operation, over HTTP or MCP. */
interface OperationCall {
  readonly operation: Operation<OperationName>;
  /** Validated, with defaults. */
  readonly input: Readonly<Record<string, unknown>>;
  /** `undefined` for public operations. */
  readonly caller: Caller | undefined;
  readonly browser: BrowserSession;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** Aborted when the caller disconnects. */
  readonly stop: AbortSignal;
  readonly onPermit?: (permit: Permit) => void;
  /** Called with the workspace, if the request does not name it. */
  readonly happensIn?: (workspaceId: string) => void;
  /** Called with what the operation has changed. */
  readonly onChanged?: (changes: readonly AuditChange[]) => void;
  /** Called with the records that the operation has read. */
  readonly onRead?: (read: AuditRead) => void;
}

interface PerformerOptions {
  readonly accounts: Pick<AccountsDatabase, 'virtualClusters' | 'workspaces'>;
  /** Operations without one are not served here. */
  readonly handlers: SomeHandlers;
  readonly clock: Clock;
  readonly log: Log;
}

/** The deadline of an operation. Connections that are silent for 30 s are closed. */
const operationMsMax = 25_000;

/** Runs operations for authenticated callers; the only place that authorizes them. */
type PerformOperation = (call: OperationCall) => Promise<unknown>;

export function operationPerformer({ accounts, handlers, clock, log }: PerformerOptions): PerformOperation {
  return async (call) => {
    const { operation, caller, input, onPermit } = call;
    const permit = caller === undefined ? publicPermit : await authorize(caller, operation, input, accounts);
    onPermit?.(permit);
    return run(call, permit);
  };

  async function run(call: OperationCall, permit: Permit): Promise<unknown> {
    const { operation, caller, browser, remoteAddress, userAgent } = call;
    const deadline = Promise.withResolvers<never>();
    const stop = new AbortController();
    const cancel = clock.after(operationMsMax, () => {
      const late = new ApiError('unavailable');
      stop.abort(late);
      deadline.reject(late);
    });
    // The handler may stop when the caller is gone; what it completes anyway is audited.
    const gone = () => stop.abort(call.stop.reason);
    call.stop.addEventListener('abort', gone);
    const context: CallContext = {
      actor: permit.actor,
      actorName: permit.actorName,
      accountId: caller?.accountId ?? '',
      cluster: permit.cluster,
      signedIn: caller?.signedIn,
      remoteAddress,
      userAgent,
      browser,
      happensIn: (workspaceId) => call.happensIn?.(workspaceId),
      changed: (changes) => call.onChanged?.(changes),
      read: (read) => call.onRead?.(read),
      stop: stop.signal,
      clock,
      log,
    };
    const handler = handlers[operation.name] as (input: unknown, context: CallContext) => Promise<unknown>;
    try {
      return await Promise.race([handler(call.input, context), deadline.promise]);
    } finally {
      cancel();
      call.stop.removeEventListener('abort', gone);
    }
  }
}
