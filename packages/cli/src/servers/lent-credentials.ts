import type { TenantAccess } from '@weir/cluster/outbound';
import type { Clock, Environment } from '@weir/core';
import { awsCredentials } from '@weir/storage';
import type { FlagValues } from '../flags/catalogue.ts';

const usualRegion = 'us-east-1';

/** What configurations of tenants may use of an agent, with its credentials of AWS if the operator lends them. */
export function withLentCredentials(
  access: TenantAccess,
  { lendAWSCredentials }: Pick<FlagValues, 'lendAWSCredentials'>,
  { environment, clock }: { readonly environment: Environment; readonly clock: Clock },
): TenantAccess {
  if (!lendAWSCredentials) return access;
  const found = awsCredentials(
    {
      subject: 'the login to Amazon MSK',
      region: environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? usualRegion,
    },
    { environment, clock, usesMetadataService: true },
  );
  return { ...access, lentAwsCredentials: () => found.get(undefined) };
}
