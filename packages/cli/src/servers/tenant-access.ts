import { AllowedHosts, type TenantAccess, TenantVariables } from '@weir/cluster/outbound';
import type { Environment } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';

/** What configurations of tenants may name, by the flags. */
export function tenantAccess(
  values: Pick<FlagValues, 'allowedTargetHosts' | 'allowedPipelineVariables'>,
  environment: Environment,
): TenantAccess {
  return {
    hosts: new AllowedHosts(values.allowedTargetHosts),
    variables: new TenantVariables(environment, values.allowedPipelineVariables),
  };
}
