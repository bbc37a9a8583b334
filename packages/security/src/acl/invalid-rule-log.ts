import { describeAcl } from '@weir/cluster';
import type { Log } from '@weir/core';
import { securityLimits } from '../limits.ts';
import type { FollowedAcls } from './followed-acls.ts';

/** Logs ACLs that can never match, each once while it exists. */
export class InvalidRuleLog {
  readonly #log: Log;
  #version = -1;
  #logged: ReadonlySet<string> = new Set();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Does nothing unless the version of the ACLs has changed. */
  note({ version, invalid }: Pick<FollowedAcls, 'version' | 'invalid'>): void {
    if (version === this.#version) return;
    this.#version = version;
    const fresh = [...invalid].filter(([key]) => !this.#logged.has(key));
    for (const [, { acl, reason }] of fresh.slice(0, securityLimits.aclInvalidRulesLoggedMax)) {
      this.#log.warn('found ACL that can never match', { module: 'acl', acl: describeAcl(acl), reason });
    }
    const unlogged = fresh.length - securityLimits.aclInvalidRulesLoggedMax;
    if (unlogged > 0)
      this.#log.warn('found further ACLs that can never match', { module: 'acl', count: unlogged });
    this.#logged = new Set(invalid.keys());
  }
}
