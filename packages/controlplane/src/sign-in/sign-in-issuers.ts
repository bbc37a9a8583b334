import { isPublicAddress } from '@weir/cluster/outbound';
import { type IssuerOptions, Issuers } from '@weir/oidc';

interface SignInIssuersOptions extends Pick<IssuerOptions, 'clock' | 'log'> {
  /**
   * Whether connections may name issuers within the private network. Only for an operator who trusts all administrators
   * with it.
   */
  readonly allowsPrivateAddresses?: boolean;
  /** For tests, whose issuers have no certificate. */
  readonly allowsLoopbackHttp?: boolean;
}

/**
 * The identity providers of connections. Users configure them, so only addresses on the public internet are contacted.
 */
export function signInIssuers(options: SignInIssuersOptions): Issuers {
  const { clock, log, allowsPrivateAddresses = false, allowsLoopbackHttp = false } = options;
  return new Issuers({
    clock,
    log,
    purpose: 'sign-ins with OpenID Connect',
    allowsLoopbackHttp,
    ...(allowsPrivateAddresses ? {} : { allowedAddress: isPublicAddress }),
  });
}
