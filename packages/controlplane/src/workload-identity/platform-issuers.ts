import { type IssuerOptions, Issuers, isPublicAddress } from '@weir/oidc';

/**
 * The issuers of platforms, such as a Kubernetes cluster, that bindings name. They are asked by HTTPS, wherever they
 * run.
 */
export function platformIssuers(options: Pick<IssuerOptions, 'clock' | 'log' | 'fetchJson'>): Issuers {
  return new Issuers({ ...options, purpose: 'exchanges of agent tokens', allowsLoopbackHttp: false });
}

interface FederationIssuersOptions extends Pick<IssuerOptions, 'clock' | 'log' | 'fetchJson'> {
  /**
   * Whether federations may name issuers within the own network. That is for an operator to say who trusts all users
   * with it.
   */
  readonly allowsPrivateAddresses?: boolean;
}

/**
 * The issuers that federations of the API name. Users write those, so that only what is on the public internet is
 * asked.
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
