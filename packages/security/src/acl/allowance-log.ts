import { describeAcl } from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { EventEmitter } from '@weir/events/emission';
import { securityLimits } from '../limits.ts';
import type { RememberedDecision } from './acl-decisions.ts';
import { type AccessCheck, checkFields, checkText, type LoggingAgent } from './denial-log.ts';

interface AllowanceLogOptions {
  readonly agent: LoggingAgent;
  readonly events: EventEmitter | undefined;
  readonly clock: Clock;
}

/** Clients do the same all the time; that they were allowed to is an event this often. */
const quietMs = 10 * 60_000;
const windowMs = 1_000;

/**
 * Emits what ACLs allowed as events, not as lines of the log. The same principal, operation and resource are one event
 * in ten minutes, and at most a few events a second are emitted: what is left out then is not counted.
 */
export class AllowanceLog {
  readonly #options: AllowanceLogOptions;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #inWindow = 0;

  constructor(options: AllowanceLogOptions) {
    this.#options = options;
  }

  /** Whether allowances are wanted. Checked for every one, so it has to be quick. */
  get isOn(): boolean {
    return this.#options.events?.isOn('acl_logs') === true;
  }

  note(decision: RememberedDecision, check: () => AccessCheck): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - decision.reportedMs < quietMs || !this.#hasRoom(nowMs)) return;
    decision.reportedMs = nowMs;
    this.#emit(check());
  }

  #hasRoom(nowMs: number): boolean {
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#windowStartMs = nowMs;
      this.#inWindow = 0;
    }
    return this.#inWindow++ < securityLimits.aclAllowancesPerSecond;
  }

  #emit(check: AccessCheck): void {
    const rule = check.rule();
    const why = rule === undefined ? 'no ACL denies it' : `because of the ACL ${describeAcl(rule)}`;
    const verb = check.isShadow ? 'would have been allowed' : 'was allowed';
    this.#options.events?.emit('acl_logs', {
      is_log: false,
      log_level: 'info',
      is_allowed: true,
      ...checkFields(check, this.#options.agent),
      message: `${checkText(check, verb)}: ${why}`,
    });
  }
}
