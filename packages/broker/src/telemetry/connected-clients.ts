import type { ReportedConnections, ReportedSoftware } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { shortName } from '@weir/core';
import type { ClientSession } from '@weir/security';
import { bareAddress, principalInAcls } from '@weir/security';
import { type Api, type Apis, apis, errors } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import type { ReceivedRequest } from '../requests/request-server.ts';
import type { TelemetryClient } from './subscriptions.ts';

interface Software {
  readonly name: string;
  readonly version: string;
}

interface Connection {
  readonly session: ClientSession;
  readonly clientId: string;
}

interface Kind {
  readonly software: Software;
  connectionCount: number;
  readonly principals: Map<string, number>;
  readonly clientIds: Map<string, number>;
}

const unknownSoftware: Software = { name: '', version: '' };

/**
 * APIs that clients call first. A connection with no other request, such as a probe or a failed login, is not counted.
 */
const greetings: ReadonlySet<Api> = new Set<Api>([
  apis.ApiVersions,
  apis.SaslHandshake,
  apis.SaslAuthenticate,
]);

/** Connected clients and their software names, for the lifetime of their connections. */
export class ConnectedClients {
  readonly #software = new WeakMap<AbortSignal, Software>();
  readonly #connections = new Map<AbortSignal, Connection>();

  /** Wraps the handler to record the client's software. */
  noting(handler: HandlerOf<Apis['ApiVersions']>): HandlerOf<Apis['ApiVersions']> {
    return (request, context) => {
      const { clientSoftwareName: name, clientSoftwareVersion: version } = request;
      const answer = handler(request, context);
      const isTaken =
        typeof answer === 'object' && 'errorCode' in answer && answer.errorCode === errors.NONE.code;
      if (name !== '' && isTaken) {
        const short = (text: string) => text.slice(0, brokerLimits.softwareNameCharsMax);
        this.#software.set(context.closed, { name: short(name), version: short(version) });
      }
      return answer;
    };
  }

  /** Called for each accepted request, so it only looks up one entry. */
  served({
    api,
    clientId,
    session,
    closed,
  }: Pick<ReceivedRequest, 'api' | 'clientId' | 'session' | 'closed'>) {
    if (this.#connections.has(closed) || greetings.has(api) || closed.aborted) return;
    this.#connections.set(closed, { session, clientId: clientId ?? '' });
    closed.addEventListener('abort', () => this.#connections.delete(closed), { once: true });
  }

  clientOf(instanceId: string, context: RequestContext): TelemetryClient {
    const { name, version } = this.#software.get(context.closed) ?? unknownSoftware;
    return {
      client_instance_id: instanceId,
      client_id: context.clientId ?? '',
      client_software_name: name,
      client_software_version: version,
      client_source_address: bareAddress(context.remoteAddress),
      client_source_port: String(context.remotePort),
    };
  }

  /**
   * Returns connections by software. Clients choose the names, so the lists are bounded in size; the most frequent come
   * first.
   */
  report(): ReportedConnections {
    const software: ReportedSoftware[] = [];
    let charsLeft = clusterLimits.reportedSoftwareCharsMax - '[]'.length;
    for (const kind of this.#kinds()) {
      const reported = reportedKind(kind);
      charsLeft -= JSON.stringify(reported).length + 1;
      if (charsLeft < 0) break;
      software.push(reported);
    }
    return { connectionCount: this.#connections.size, software };
  }

  #kinds(): Kind[] {
    const kinds = new Map<string, Kind>();
    for (const [closed, { session, clientId }] of this.#connections) {
      const software = this.#software.get(closed) ?? unknownSoftware;
      const key = `${software.name} ${software.version}`;
      let kind = kinds.get(key);
      if (kind === undefined) {
        kind = { software, connectionCount: 0, principals: new Map(), clientIds: new Map() };
        kinds.set(key, kind);
      }
      kind.connectionCount++;
      count(kind.principals, principalInAcls(session.principal));
      if (clientId !== '') count(kind.clientIds, clientId);
    }
    return [...kinds].sort(byCount(({ connectionCount }) => connectionCount)).map(([, kind]) => kind);
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byCount<Value>(countOf: (value: Value) => number) {
  return ([a, one]: [string, Value], [b, other]: [string, Value]) =>
    countOf(other) - countOf(one) || (a < b ? -1 : 1);
}

function reportedKind({ software, connectionCount, principals, clientIds }: Kind): ReportedSoftware {
  const first = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .sort(byCount((connections) => connections))
      .slice(0, clusterLimits.reportedSoftwareNamesMax)
      .map(([name]) => shortName(name));
  return {
    name: shortName(software.name),
    version: shortName(software.version),
    connectionCount,
    principals: first(principals),
    principalCount: principals.size,
    clientIds: first(clientIds),
    clientIdCount: clientIds.size,
  };
}
