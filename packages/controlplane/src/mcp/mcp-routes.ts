import { ApiError, catalogue, type OperationName, type OutputOf, readInput } from '@weir/api';
import type { Clock, Log, Metrics, TokenRate } from '@weir/core';
import {
  type CallOperation,
  controlPlaneManifest,
  createEndpoint,
  documentationManifest,
  readDocumentation,
  serverMaker,
} from '@weir/mcp';
import type { AuditChange } from '../accounts/audit/audit-log.ts';
import type { AuditRead } from '../accounts/audit/audit-read.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { AuditTrail, auditActorOf, isRecorded } from '../api-server/audit-trail.ts';
import type { Permit } from '../api-server/authorize.ts';
import { operationPerformer } from '../api-server/perform-operation.ts';
import type { RateLimits } from '../api-server/rate-limits.ts';
import { TokenBuckets } from '../api-server/token-buckets.ts';
import { placeOf, remoteAddressOf } from '../http/remote-address.ts';
import type { RouteHandlers } from '../http/route-table.ts';
import type { SomeHandlers } from '../operations/handler.ts';
import { answerIcon } from './icon-route.ts';
import { type McpCaller, mayWrite, mcpCallerOf, noBrowser, orWait } from './mcp-caller.ts';

interface McpRoutesOptions {
  readonly accounts: AccountsDatabase;
  /** The handlers of the API: tools are built on them. */
  readonly handlers: SomeHandlers;
  /** Shared with the API, so that keys cannot be guessed here in addition. */
  readonly limits: RateLimits;
  readonly publicUrl: () => string;
  readonly isBehindProxy: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether keys that may change something get tools that do. */
  readonly allowsWrites?: boolean | undefined;
  /** The request rate of one key. */
  readonly requestsPerKey?: TokenRate;
  /** The folder of the documentation. */
  readonly docsFolder?: string;
}

interface McpRoutes {
  readonly handlers: RouteHandlers<'mcp' | 'docsMcp' | 'icons'>;
  close(): Promise<void>;
}

/**
 * A person asks a few times per minute; a team that shares a key, and a client that lists everything at its start, send
 * some hundred at once.
 */
const usualRequestsPerKey: TokenRate = { burst: 300, perSecond: 5 };

/** The documentation needs no key; the limit is per reader, so that one cannot block the others. */
const requestsPerReader: TokenRate = { burst: 120, perSecond: 5 };

const ownDocs = new URL('../../../../docs/', import.meta.url).pathname;

/** The two MCP endpoints: the control plane, with keys, and the documentation, without. */
export function mcpRoutes(options: McpRoutesOptions): McpRoutes {
  const { accounts, handlers, limits, isBehindProxy, clock, docsFolder = ownDocs } = options;
  const { publicUrl, log, metrics } = options;
  const deps = { publicUrl, clock, log, metrics };
  const pages = readDocumentation(docsFolder);
  const requests = new TokenBuckets(options.requestsPerKey ?? usualRequestsPerKey, clock);
  const readers = new TokenBuckets(requestsPerReader, clock);
  const reading = serverMaker(controlPlaneManifest(pages), deps);
  const writing = serverMaker(controlPlaneManifest(pages, { writes: true }), deps);
  const allowsWrites = options.allowsWrites ?? false;
  const docsServerFor = serverMaker(documentationManifest(pages), deps);
  const operations = callsOf(options);
  const ofControlPlane = createEndpoint<McpCaller>({
    name: 'control_plane',
    whoOf: (request) => mcpCallerOf(request, { accounts, limits, isBehindProxy, requests }),
    serverFor: (who) =>
      allowsWrites && mayWrite(who)
        ? writing(operations(who), keysOf(who), who.confirmationKey)
        : reading(operations(who), keysOf(who)),
    ...deps,
  });
  const ofDocs = createEndpoint<{ readonly remoteAddress: string }>({
    name: 'documentation',
    whoOf: async (request) => {
      const remoteAddress = remoteAddressOf(request, isBehindProxy);
      orWait(readers.take(placeOf(remoteAddress)));
      return { remoteAddress };
    },
    serverFor: ({ remoteAddress }) => docsServerFor(noOperations, remoteAddress),
    ...deps,
  });
  return {
    handlers: { mcp: ofControlPlane.answer, docsMcp: ofDocs.answer, icons: answerIcon },
    async close() {
      await Promise.all([ofControlPlane.close(), ofDocs.close()]);
    },
  };

  /** Runs operations for tools as the API would for the same caller. */
  function callsOf(performing: McpRoutesOptions): (who: McpCaller) => CallOperation {
    const perform = operationPerformer(performing);
    const audit = new AuditTrail(accounts, log);
    return (who) => async (name, given, stop) => {
      if (handlers[name] === undefined) throw new ApiError('not_found', `Operation ${name} not found.`);
      const input = readInput(name, given);
      const seen: Seen = { changes: [] };
      try {
        const output = await perform({
          operation: catalogue[name],
          input,
          caller: who.caller,
          remoteAddress: who.remoteAddress,
          userAgent: who.userAgent,
          browser: noBrowser,
          stop,
          onPermit: (permit) => {
            seen.permit = permit;
            seen.workspaceId = permit.workspaceId;
          },
          happensIn: (workspaceId) => {
            seen.workspaceId = workspaceId;
          },
          onChanged: (changes) => seen.changes.push(...changes),
          onRead: (read) => {
            seen.read = read;
          },
        });
        await record({ name, input, output, who, seen });
        return output as OutputOf<typeof name>;
      } catch (error) {
        await record({
          name,
          input,
          who,
          seen,
          error: error instanceof ApiError ? error : new ApiError('internal'),
        });
        throw error;
      }
    };

    async function record({ name, input, output, who, seen, error }: EndedToolCall): Promise<void> {
      const operation = catalogue[name];
      if (!isRecorded(operation, input, error)) return;
      const { caller, remoteAddress, userAgent } = who;
      await audit.record({
        via: 'mcp',
        operation,
        accountId: caller.accountId,
        actor: auditActorOf(caller, seen.permit),
        remoteAddress,
        userAgent,
        workspaceId: seen.workspaceId,
        input,
        output,
        changes: seen.changes,
        read: seen.read,
        result: error?.code ?? 'ok',
        message: error?.message,
      });
    }
  }
}

/** What is learnt about an operation while it runs. */
interface Seen {
  permit?: Permit;
  workspaceId?: string | undefined;
  readonly changes: AuditChange[];
  read?: AuditRead;
}

interface EndedToolCall {
  readonly name: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  readonly who: McpCaller;
  readonly seen: Seen;
  readonly error?: ApiError;
}

/** Ids of keys, never the keys. */
function keysOf({ caller }: McpCaller): string {
  return caller.actors.map(({ actor }) => actor.id).join(' ');
}

const noOperations: CallOperation = async (name) => {
  throw new Error(`the documentation does not do ${name}`);
};
