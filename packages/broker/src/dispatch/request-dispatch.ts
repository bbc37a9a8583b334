import type { Clock, Log } from '@weir/core';
import { type Access, fullAccess, type Sasl, saslWithoutMechanisms, userOf } from '@weir/security';
import { type Api, apis, type Fields } from '@weir/wire';
import { apiVersionsRefusal } from '../handlers/18-api-versions.ts';
import { brokerLimits } from '../limits.ts';
import type { ZoneOfAddress } from '../placement/address-zones.ts';
import { type ClientFeatures, rememberingParser } from '../placement/client-features.ts';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { Loads } from '../placement/measured-loads.ts';
import { createPlacements } from '../placement/placement.ts';
import type { PartitionAssignmentStrategy } from '../placement/strategies.ts';
import { ZoneCrossings } from '../placement/zone-crossings.ts';
import type { ClientQuotas } from '../quotas/client-quotas.ts';
import type { Handler, RequestContext } from '../requests/handler.ts';
import type { HandlerResult } from '../requests/handler-result.ts';
import { RequestOrigins } from '../requests/request-origins.ts';
import { RequestQuotas } from '../requests/request-quotas.ts';
import type { ReceivedRequest, RequestServer } from '../requests/request-server.ts';
import type { SlowDown } from '../requests/slow-down.ts';
import { ConnectedClients } from '../telemetry/connected-clients.ts';
import { noteAwaitedCommit } from '../transactions/awaited-commit.ts';
import { createHandlerTable, type HandlerDeps, type ServedApi } from './handler-table.ts';
import { entriesMax, entriesOf, type ListWork, listWork, servedInParts } from './list-work.ts';

/** What requests need on top of their handlers. */
interface HandlerServices extends Omit<HandlerDeps, 'placementOf' | 'offered' | 'clients' | 'sasl'> {
  readonly clock: Clock;
  readonly log: Log;
  /** For clients whose client id names none. */
  readonly defaultStrategy: PartitionAssignmentStrategy;
  /** For clients whose client id names no zone. */
  readonly zoneOfAddress?: ZoneOfAddress | undefined;
  readonly loads?: Loads;
  /** Remembers connected clients. */
  readonly clients?: ConnectedClients;
  /** If absent, clients have no quotas. */
  readonly quotas?: ClientQuotas;
  /** The rights of the client of a request. If absent, every client has all rights. */
  readonly accessOf?: (request: ReceivedRequest) => Access;
  /** If absent, there is no mechanism and no client has to log in. */
  readonly sasl?: Sasl | undefined;
  /** Slows clients down under pressure. */
  readonly slowDown?: SlowDown;
}

/** The server behind a Kafka listener: the table of handlers, and the rules that apply to all requests. */
export function createHandlers(services: HandlerServices): RequestServer {
  const { cluster, clock, log, self } = services;
  const sasl = services.sasl ?? saslWithoutMechanisms({ clock, log });
  const featuresOf = rememberingParser(brokerLimits.rememberedClientIdsMax);
  const origins = new RequestOrigins();
  const { telemetry } = services;
  const clients = services.clients ?? new ConnectedClients();
  const placementFor = createPlacements(services.loads);
  const crossings = new ZoneCrossings(clock);
  const placementOf: PlacementOf = ({ clientId, remoteAddress }) =>
    placementFor({
      features: locatedFeatures(clientId, remoteAddress),
      clientKey: `${clientId} ${remoteAddress}`,
      self: self(),
      agents: cluster.agents(),
      defaultStrategy: services.defaultStrategy,
    });

  const table = createHandlerTable({ ...services, placementOf, offered, clients, sasl });

  const served: readonly Api[] = (Object.keys(table) as ServedApi[]).map((name) => apis[name]);
  const servedWithoutTelemetry = served.filter(
    (api) => api !== apis.GetTelemetrySubscriptions && api !== apis.PushTelemetry,
  );
  // A request is decoded by the definition of its handler; the types cannot express that for a whole table.
  const byKey = new Map(
    Object.entries(table).map(([name, handler]) => [
      apis[name as ServedApi].key,
      {
        handle: handler as unknown as Handler<Fields, Fields>,
        work: listWork[name as ServedApi] as ListWork,
      },
    ]),
  );

  /**
   * Clients that are offered telemetry start to push. Those that were offered it before it ended are still answered.
   */
  function offered(): readonly Api[] {
    return telemetry.isWanted ? served : servedWithoutTelemetry;
  }

  /** The zone in the client id takes precedence over the one of the address. */
  function locatedFeatures(clientId: string | null, remoteAddress: string): ClientFeatures {
    const features = featuresOf(clientId);
    const zone = features.zone ?? services.zoneOfAddress?.(remoteAddress);
    return zone === features.zone || zone === undefined ? features : { ...features, zone };
  }

  /**
   * Whether to close the connection of a client that asked for it and has used another zone than its own for too long.
   */
  function isInWrongZone({ api, clientId, session: { remoteAddress }, closed }: ReceivedRequest): boolean {
    if (api !== apis.Produce && api !== apis.Fetch) return false;
    const features = featuresOf(clientId);
    if (features.interzoneLoadBalancing !== true) return false;
    const { zone } = locatedFeatures(clientId, remoteAddress);
    const isCrossing = zone !== undefined && zone !== self().zone;
    const isServedAtHome = () => placementOf({ clientId, remoteAddress }).agents[0]!.zone === zone;
    if (!crossings.isTooLong(closed, isCrossing && isServedAtHome())) return false;
    log.info('closed cross-zone connection at the request of its client', {
      clientId,
      peer: remoteAddress,
      clientZone: zone,
    });
    return true;
  }

  /** Whether the client id names another agent group or another cluster. */
  function isMisdirected({ clientId, session: { remoteAddress } }: ReceivedRequest): boolean {
    const { agentGroup, clusterId } = featuresOf(clientId);
    const isOtherGroup = agentGroup !== undefined && agentGroup !== self().group;
    const isOtherCluster = clusterId !== undefined && clusterId !== cluster.clusterId;
    if (!isOtherGroup && !isOtherCluster) return false;
    log.info('refused client of another agent group or cluster', {
      clientId,
      peer: remoteAddress,
      group: self().group,
      clusterId: cluster.clusterId,
    });
    return true;
  }

  return {
    serves: (api, apiVersion) => byKey.has(api.key) && apiVersion <= api.highestStableVersion,
    refuseApiVersions: () => apiVersionsRefusal(offered()),
    frameBytesMax: (session) => sasl.frameBytesMax(session),
    serveToken: (token, session, closed) => sasl.takeToken(session, token, closed),
    serve(request): HandlerResult<Fields> {
      if (request.isAdmitted !== true && !sasl.admits(request.session, request.api)) return 'close';
      if (isMisdirected(request) || isInWrongZone(request)) return 'close';
      const { api, apiVersion, clientId, session, requestBytes, closed, left = closed } = request;
      const { receivedMs, hasCheckedCrcs, hold } = request;
      const { remoteAddress, remotePort, principal } = session;
      clients.served(request);
      noteAwaitedCommit(session, api);
      const quotas = new RequestQuotas(services.quotas, {
        user: userOf(principal),
        clientId: clientId ?? '',
      });
      const context: RequestContext = {
        api,
        apiVersion,
        clientId,
        remoteAddress,
        remotePort,
        session,
        access: services.accessOf?.(request) ?? fullAccess(principal),
        origin: origins.next(closed),
        quotas,
        cluster,
        clock,
        log,
        closed,
        left,
        receivedMs,
        hasCheckedCrcs,
        hold,
      };
      const { handle, work } = byKey.get(api.key)!;
      const entries = work === 'noList' ? 0 : entriesOf(api, apiVersion, request.body);
      if (entries > entriesMax(work)) {
        log.warn('closed connection of a request with too many entries', {
          api: api.name,
          entries,
          clientId,
          peer: remoteAddress,
        });
        return 'close';
      }
      const isInParts = typeof work === 'object' && entries > brokerLimits.entriesPerTurnMax;
      const run = () =>
        isInParts
          ? servedInParts(work, request.body, clock, (body) => handle(body, context))
          : handle(request.body, context);
      const answer = quotas.measure({ api, requestBytes, clock }, run);
      return services.slowDown === undefined ? answer : services.slowDown(api, answer);
    },
  };
}
