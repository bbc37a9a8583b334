import { type IssuerOptions, Issuers, isPublicAddress } from '@weir/oidc';

interface SignInIssuersOptions extends Pick<IssuerOptions, 'clock' | 'log'> {
  /**
   * Whether connections may name issuers within the own network. That is for an operator to say who trusts all
   * administrators with it.
   */
  readonly allowsPrivateAddresses?: boolean;
  /** For tests, whose issuers have no certificate. */
  readonly allowsLoopbackHttp?: boolean;
}

/**
 * The identity providers that connections name. Users write those, so that only what is on the public internet is
 * asked.
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
