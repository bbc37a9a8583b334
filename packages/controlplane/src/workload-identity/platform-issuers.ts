import { isPublicAddress } from '@weir/cluster/outbound';
import { type IssuerOptions, Issuers } from '@weir/oidc';

/**
 * The issuers of platforms, such as a Kubernetes cluster, that bindings name. They are contacted by HTTPS, wherever
 * they run.
 */
export function platformIssuers(options: Pick<IssuerOptions, 'clock' | 'log' | 'fetchJson'>): Issuers {
  return new Issuers({ ...options, purpose: 'exchanges of agent tokens', allowsLoopbackHttp: false });
}

interface FederationIssuersOptions extends Pick<IssuerOptions, 'clock' | 'log' | 'fetchJson'> {
  /** Whether federations may name issuers in the private network. Only for an operator who trusts all users with it. */
  readonly allowsPrivateAddresses?: boolean;
}

/**
 * The issuers that federations of the API name. Users configure them, so only addresses on the public internet are
 * contacted.
 */
export function federationIssuers({
  allowsPrivateAddresses = false,
  ...options
}: FederationIssuersOptions): Issuers {
  return new Issuers({
    ...options,
    purpose: 'exchanges of agent tokens',
    allowsLoopbackHttp: false,
    ...(allowsPrivateAddresses ? {} : { allowedAddress: isPublicAddress }),
  });
}
