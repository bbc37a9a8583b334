import { describeAcl, givenCredentialName } from '@weir/cluster';
import {
  type Acl,
  type AclResourceType,
  type Clock,
  type LogFields,
  type NeededOperation,
  RecentlyUsed,
} from '@weir/core';
import type { Api } from '@weir/wire';
import { securityLimits } from '../limits.ts';
import { type Principal, principalInAcls } from '../principal.ts';
import type { ClientSession } from '../session/client-session.ts';

/** A request whose access is checked: of a Kafka client, of the schema registry, or to debug the agent over HTTP. */
export type GuardedRequest = KafkaRequest | RegistryRequest | DebugRequest;

interface KafkaRequest {
  readonly api: Api;
  readonly correlationId: number;
  readonly clientId: string | null;
  readonly session: ClientSession;
}

interface RegistryRequest {
  readonly registryOperation: string;
  readonly session: ClientSession;
}

interface DebugRequest {
  readonly debugOperation: string;
  readonly session: ClientSession;
}

/** An operation that ACLs allowed or denied. */
export interface AccessCheck {
  readonly request: GuardedRequest;
  readonly principal: Principal;
  /** Address of the client. */
  readonly host: string;
  readonly operation: NeededOperation;
  readonly resourceType: AclResourceType;
  readonly resourceName: string;
  /** Whether the operation was performed whatever ACLs say, in shadow mode. */
  readonly isShadow: boolean;
  /** The ACL that decided; `undefined` if none allowed it. Called only when a line is written. */
  readonly rule: () => Acl | undefined;
}

/** The agent that logs, for the fields of a line. */
export interface LoggingAgent {
  readonly agentId: string;
  readonly hostname: string;
  /** `:9092` */
  readonly listenerAddress: () => string;
  readonly clusterId: string;
  /** Display name of the cluster, if known; it may change. */
  readonly clusterName?: () => string | undefined;
}

/** Writes one line about a denial to the log or as an event. */
type LogDenial = (level: 'info' | 'warn', message: string, fields: LogFields) => void;

interface DenialLogOptions {
  readonly agent: LoggingAgent;
  /** Value of the field `is_log`. */
  readonly isLog: boolean;
  readonly logDenial: LogDenial;
  readonly clock: Clock;
}

/** A denied client usually retries at once and forever; one line per minute is enough. */
const quietMs = 60_000;
const windowMs = 1_000;

interface LineState {
  lastMs: number;
  /** Denials without a line since then. */
  suppressed: number;
}

/**
 * Writes lines about denials. The same denial is reported once a minute, and all denials together at a limited rate per
 * second; each line has the number of suppressed denials before it. The metric counts all of them.
 */
export class DenialLog {
  readonly #options: DenialLogOptions;
  readonly #lines = new RecentlyUsed<LineState>(securityLimits.aclDenialsMax);
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #inWindow = 0;
  #suppressedOthers = 0;

  constructor(options: DenialLogOptions) {
    this.#options = options;
  }

  note(denial: AccessCheck): void {
    const nowMs = this.#options.clock.monotonicMs();
    const { request, principal, operation, resourceType, resourceName, isShadow } = denial;
    const name = shortName(resourceName);
    const key = `${callOf(request)} ${operation} ${resourceType} ${isShadow} ${name}\n${principal.name}`;
    const line = this.#lines.of(key, () => ({ lastMs: Number.NEGATIVE_INFINITY, suppressed: 0 }));
    if (nowMs - line.lastMs < quietMs) {
      line.suppressed++;
    } else if (!this.#hasRoom(nowMs)) {
      this.#suppressedOthers++;
    } else {
      this.#write(denial, line.suppressed);
      line.lastMs = nowMs;
      line.suppressed = 0;
      this.#suppressedOthers = 0;
    }
  }

  #hasRoom(nowMs: number): boolean {
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#windowStartMs = nowMs;
      this.#inWindow = 0;
    }
    return this.#inWindow++ < securityLimits.aclDenialsLoggedPerSecond;
  }

  #write(denial: AccessCheck, suppressed: number): void {
    const { agent, isLog, logDenial } = this.#options;
    const rule = denial.rule();
    const verb = denial.isShadow ? 'would have been denied' : 'was denied';
    const why = rule === undefined ? 'no ACL allows it' : `because of the ACL ${describeAcl(rule)}`;
    const level = denial.isShadow ? 'info' : 'warn';
    logDenial(level, `${checkText(denial, verb)}: ${why}`, {
      is_log: isLog,
      log_level: level,
      is_allowed: false,
      reason: why,
      ...checkFields(denial, agent),
      ...(suppressed === 0 ? {} : { suppressed }),
      ...(this.#suppressedOthers === 0 ? {} : { suppressed_others: this.#suppressedOthers }),
    });
  }
}

/** The one line of a check: who did what, and the verb. */
export function checkText(
  { principal, operation, resourceType, resourceName }: AccessCheck,
  verb: string,
): string {
  return `${principalInAcls(principal)} ${verb} ${operation} of ${resourceType} ${shortName(resourceName)}`;
}

export function checkFields(check: AccessCheck, agent: LoggingAgent): LogFields {
  const { request, principal, host, operation, resourceType, resourceName, isShadow } = check;
  return {
    module: 'acl',
    is_shadow: isShadow,
    principal: principal.name,
    credential_name: principal.credentialName && givenCredentialName(principal.credentialName),
    client_address: host,
    operation,
    resource_type: resourceType,
    resource_name: shortName(resourceName),
    ...callFields(request),
    address: agent.listenerAddress(),
    agent_id: agent.agentId,
    hostname_fqdn: agent.hostname,
    virtual_cluster_id: agent.clusterId,
    virtual_cluster_name: agent.clusterName?.() ?? agent.clusterId,
  };
}

function callOf(request: GuardedRequest): string {
  if ('api' in request) return String(request.api.key);
  return 'registryOperation' in request ? request.registryOperation : request.debugOperation;
}

function callFields(request: GuardedRequest): LogFields {
  if ('registryOperation' in request) return { schema_registry_operation: request.registryOperation };
  if ('debugOperation' in request) return { http_operation: request.debugOperation };
  const { api, clientId, correlationId } = request;
  return {
    client_id: clientId === null ? null : shortName(clientId),
    kafka_enabled: true,
    kafka_api_key: api.key,
    kafka_api_key_name: api.name,
    correlation_id: correlationId,
  };
}

/** Names in requests can be of any length. */
function shortName(name: string): string {
  const charsMax = securityLimits.aclDecisionNameCharsMax;
  return name.length <= charsMax ? name : `${name.slice(0, charsMax)}…`;
}
