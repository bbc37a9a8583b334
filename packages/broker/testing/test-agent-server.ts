import type { AgentDescription, ClusterPort } from '@weir/cluster';
import { type Clock, type Log, Metrics, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { TestCluster, type TestClusterOptions } from '@weir/metadata/testing';
import type { Access } from '@weir/security';
import { type ClientSession, openSession } from '@weir/security';
import {
  type Apis,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type Fields,
  type ReadStruct,
  type WriteStruct,
} from '@weir/wire';
import { createClusterView, type FollowingClusterView } from '../src/cluster/following-view.ts';
import type { ServedApi } from '../src/dispatch/handler-table.ts';
import { createHandlers } from '../src/dispatch/request-dispatch.ts';
import type { ClientInflation } from '../src/inflation/client-inflation.ts';
import type { ZoneOfAddress } from '../src/placement/address-zones.ts';
import type { PartitionAssignmentStrategy } from '../src/placement/strategies.ts';
import type { FairQueue } from '../src/pressure/fair-queue.ts';
import { ClientQuotas } from '../src/quotas/client-quotas.ts';
import type { HandlerOf } from '../src/requests/handler.ts';
import type { ReceivedRequest, RequestServer } from '../src/requests/request-server.ts';
import { ClientTelemetry } from '../src/telemetry/client-telemetry.ts';
import type { ConnectedClients } from '../src/telemetry/connected-clients.ts';
import { testAgent } from './agent.ts';

export interface TestAgentOptions extends TestClusterOptions {
  /** Whether Metadata asks the leader. */
  readonly metadataAsksLeader?: boolean;
  /** Bounds concurrent Metadata requests. Default: no bound. */
  readonly metadataQueue?: FairQueue;
  readonly self?: AgentDescription;
  readonly strategy?: PartitionAssignmentStrategy;
  readonly zoneOfAddress?: ZoneOfAddress;
  readonly produce?: HandlerOf<Apis['Produce']>;
  readonly fetch?: HandlerOf<Apis['Fetch']>;
  readonly listOffsets?: HandlerOf<Apis['ListOffsets']>;
  readonly shareFetch?: HandlerOf<Apis['ShareFetch']>;
  readonly shareAcknowledge?: HandlerOf<Apis['ShareAcknowledge']>;
  /** Permissions of clients. Default: all. */
  readonly accessOf?: (request: ReceivedRequest) => Access;
  /** Session of the client. Default: anonymous. */
  readonly session?: ClientSession;
  /** Connected clients, for tests that inspect them. */
  readonly clients?: ConnectedClients;
  readonly metrics?: Metrics;
  readonly log?: Log;
  /** Limits what clients may inflate. */
  readonly inflation?: ClientInflation;
  /** The agent's view of the cluster, if the test shares it; by default the agent creates its own. */
  readonly view?: FollowingClusterView;
}

export interface TestAgent {
  readonly cluster: TestCluster;
  readonly view: FollowingClusterView;
  readonly server: RequestServer;
  readonly clock: HandClock;
  /** Sends a request through both codecs, as if over a connection: a new one, or the one that `closed` belongs to. */
  call<Name extends ServedApi>(
    api: Name,
    apiVersion: number,
    body: RequestBody<Name>,
    clientId?: string | null,
    closed?: AbortSignal,
  ): Promise<ResponseBody<Name> | 'noReply' | 'close'>;
}

export type RequestBody<Name extends ServedApi> = Apis[Name] extends {
  request: { fields: infer F extends Fields };
}
  ? WriteStruct<F>
  : never;
export type ResponseBody<Name extends ServedApi> = Apis[Name] extends {
  response: { fields: infer F extends Fields };
}
  ? ReadStruct<F>
  : never;

/**
 * Starts the handlers of an agent over a cluster in memory. Without its own handlers, requests of the data path are
 * refused.
 */
export async function startTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const self = options.self ?? testAgent('agent-1');
  const cluster = new TestCluster({ agents: [self], ...options });
  const clock = new HandClock();
  return { cluster, clock, ...(await serveCluster(cluster, clock, { ...options, self })) };
}

/** Starts the handlers of an agent over any cluster. */
export async function serveCluster(
  cluster: ClusterPort,
  clock: Clock,
  options: TestAgentOptions & { readonly self: AgentDescription },
): Promise<Pick<TestAgent, 'view' | 'server' | 'call'>> {
  const { self } = options;
  const view = options.view ?? createClusterView(cluster, { log: silentLog });
  await view.ready();
  const { metrics = new Metrics(), log = silentLog } = options;
  const server = createHandlers({
    cluster: view,
    clock,
    log: silentLog,
    self: () => self,
    defaultStrategy: options.strategy ?? 'consistent_random_jump',
    zoneOfAddress: options.zoneOfAddress,
    metadataAsksLeader: options.metadataAsksLeader,
    ...(options.metadataQueue === undefined ? {} : { metadataQueue: options.metadataQueue }),
    ...(options.accessOf === undefined ? {} : { accessOf: options.accessOf }),
    quotas: new ClientQuotas({ records: view.records('clientQuota'), clock, metrics }),
    ...(options.clients === undefined ? {} : { clients: options.clients }),
    telemetry: new ClientTelemetry({
      records: view.records('clientMetrics'),
      clock,
      log,
      metrics,
      ...(options.inflation === undefined ? {} : { inflation: options.inflation }),
    }),
    produce: options.produce ?? (() => 'close'),
    fetch: options.fetch ?? (() => 'close'),
    listOffsets: options.listOffsets ?? (() => 'close'),
    shareFetch: options.shareFetch ?? (() => 'close'),
    shareAcknowledge: options.shareAcknowledge ?? (() => 'close'),
  });
  return {
    view,
    server,
    async call(name, apiVersion, body, clientId = 'test', closed = new AbortController().signal) {
      // Lets the agent receive earlier changes of the cluster first.
      await settle();
      const api = apis[name];
      const sent = Buffer.concat(
        encodeRequest(api as never, apiVersion, { correlationId: 7, clientId }, body as never),
      );
      const frame = sent.subarray(4);
      const envelope = decodeRequestHeader(frame);
      if (envelope.api === undefined || !server.serves(envelope.api, apiVersion)) {
        throw new Error(`${name} v${apiVersion} is not served`);
      }
      const answer = await server.serve({
        api,
        apiVersion,
        correlationId: envelope.correlationId,
        clientId: envelope.clientId,
        body: decodeRequestBody(envelope.api, apiVersion, frame, envelope.bodyStart).body,
        requestBytes: frame.length,
        session: options.session ?? openSession({ remoteAddress: '10.0.0.7', remotePort: 40_000 }),
        closed,
      });
      if (answer === 'noReply' || answer === 'close') return answer;
      const reply = Buffer.concat(encodeResponse(envelope.api, apiVersion, 7, answer));
      return decodeResponse(envelope.api, apiVersion, reply.subarray(4)).body as never;
    },
  };
}

/** Returns the answer; throws if there is none. */
export function answered<Body>(answer: Body | 'noReply' | 'close'): Body {
  if (answer === 'noReply' || answer === 'close') throw new Error(`the answer was ${answer}`);
  return answer;
}
