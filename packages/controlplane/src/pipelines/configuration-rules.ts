import type { TenantAccess } from '@weir/cluster/outbound';

/** What a configuration may name: hosts and variables of the agents, and secrets of its cluster. */
export interface ConfigurationRules extends TenantAccess {
  /** The secrets that there are; none if absent. */
  readonly secretNames?: ReadonlySet<string> | undefined;
}
