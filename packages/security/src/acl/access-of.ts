import type { FollowedEntriesView } from '@weir/cluster';
import {
  type AclResourceType,
  type Clock,
  type Log,
  type Metrics,
  type NeededOperation,
  operationBits,
  operationsOfResource,
} from '@weir/core';
import type { EventEmitter } from '@weir/events/emission';
import { type Access, fullAccess } from '../access.ts';
import type { Principal } from '../principal.ts';
import { bareAddress } from '../session/client-host.ts';
import { AclDecisions, type AclSubject, subjectOf } from './acl-decisions.ts';
import { type AclMetrics, aclMetrics } from './acl-metrics.ts';
import { type AclConfigView, aclModeOf } from './acl-mode.ts';
import { AllowanceLog } from './allowance-log.ts';
import { type AccessCheck, DenialLog, type GuardedRequest, type LoggingAgent } from './denial-log.ts';
import { FollowedAcls } from './followed-acls.ts';
import { InvalidRuleLog } from './invalid-rule-log.ts';

/** What decides about access in the agent's view of its cluster. */
interface AclView extends AclConfigView {
  /** Entries of a namespace that agents follow. */
  records(namespace: string): FollowedEntriesView;
}

export interface AccessOptions {
  readonly cluster: AclView;
  readonly agent: LoggingAgent;
  /** Whether denials are logged. They are always counted. */
  readonly logsDenials: boolean;
  /** Log for denials, which have their own event type. Default: `log`. */
  readonly denialLog?: Log;
  /** Emits denials, and what was allowed, as events. */
  readonly events?: EventEmitter;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Returns the access of a request, by the ACLs of the cluster and their mode. */
export function createAccessOf(options: AccessOptions): (request: GuardedRequest) => Access {
  const { cluster, log } = options;
  const mode = aclModeOf(cluster);
  const acls = new FollowedAcls(cluster.records('acl'));
  const invalidRules = new InvalidRuleLog(log);
  const checker: AclChecker = {
    decisions: new AclDecisions(acls),
    noteDenial: denialNotes(options),
    allowances: new AllowanceLog({ agent: options.agent, events: options.events, clock: options.clock }),
    metrics: aclMetrics(options.metrics),
  };
  return (request) => {
    const now = mode();
    const { principal, remoteAddress } = request.session;
    if (now === 'off') return fullAccess(principal);
    const isShadow = now === 'shadow';
    checker.decisions.refresh();
    if (isShadow) invalidRules.note(acls);
    const access = new RuledAccess(checker, {
      request,
      principal,
      host: bareAddress(remoteAddress),
      isShadow,
    });
    // ACLs do not apply to a superuser, but to the principals that it impersonates.
    return principal.isSuperuser ? { ...fullAccess(principal), as: (other) => access.as(other) } : access;
  };
}

/**
 * Reports denials to the log and as events. Each has its own rate limit, because events may be enabled after the log
 * has already reported a denial.
 */
function denialNotes(options: AccessOptions): (denial: AccessCheck) => void {
  const { agent, logsDenials, log, denialLog = log, events, clock } = options;
  const shared = { agent, isLog: logsDenials, clock };
  const inLog = new DenialLog({ ...shared, logDenial: (level, ...line) => denialLog[level](...line) });
  const asEvents = new DenialLog({
    ...shared,
    logDenial: (_level, message, fields) => events?.emit('acl_logs', { ...fields, message }),
  });
  return (denial) => {
    if (logsDenials) inLog.note(denial);
    if (events?.isOn('acl_logs')) asEvents.note(denial);
  };
}

interface AclChecker {
  readonly decisions: AclDecisions;
  readonly noteDenial: (denial: AccessCheck) => void;
  readonly allowances: AllowanceLog;
  readonly metrics: AclMetrics;
}

interface Client {
  readonly request: GuardedRequest;
  readonly principal: Principal;
  readonly host: string;
  readonly isShadow: boolean;
}

/** Access by ACLs. In shadow mode, denials are checked and reported but not enforced. */
class RuledAccess implements Access {
  readonly #checker: AclChecker;
  readonly #client: Client;
  readonly #subject: AclSubject;

  constructor(checker: AclChecker, client: Client) {
    this.#checker = checker;
    this.#client = client;
    this.#subject = subjectOf(client.principal, client.host);
  }

  get principal(): Principal {
    return this.#client.principal;
  }

  may(operation: NeededOperation, resourceType: AclResourceType, resourceName: string): boolean {
    const { decisions, noteDenial, allowances, metrics } = this.#checker;
    const decision = decisions.of(this.#subject, operation, resourceType, resourceName);
    if (decision.isAllowed) {
      if (allowances.isOn) {
        allowances.note(decision, () => this.#check(operation, resourceType, resourceName));
      }
      return true;
    }
    metrics.denied(resourceType, operation);
    noteDenial(this.#check(operation, resourceType, resourceName));
    return this.#client.isShadow;
  }

  #check(operation: NeededOperation, resourceType: AclResourceType, resourceName: string): AccessCheck {
    const { decisions } = this.#checker;
    const rule = () => decisions.explain(this.#subject, operation, resourceType, resourceName).rule;
    return { ...this.#client, operation, resourceType, resourceName, rule };
  }

  mayQuietly(operation: NeededOperation, resourceType: AclResourceType, resourceName: string): boolean {
    const { isShadow } = this.#client;
    // A quiet check on the cluster precedes a check on the resource itself, which must be the one that is reported.
    if (isShadow && resourceType !== 'CLUSTER') return true;
    return this.#checker.decisions.of(this.#subject, operation, resourceType, resourceName).isAllowed;
  }

  mayOnSome(operation: NeededOperation, resourceType: AclResourceType): boolean {
    return this.#checker.decisions.isAllowedOnSome(this.#subject, operation, resourceType);
  }

  operationsOn(resourceType: AclResourceType, resourceName: string): number {
    const operations: readonly NeededOperation[] = operationsOfResource[resourceType];
    if (this.#client.isShadow) return operationBits(operations);
    const { decisions } = this.#checker;
    return operationBits(
      operations.filter(
        (operation) => decisions.of(this.#subject, operation, resourceType, resourceName).isAllowed,
      ),
    );
  }

  as(principal: Principal): Access {
    return new RuledAccess(this.#checker, { ...this.#client, principal });
  }
}
