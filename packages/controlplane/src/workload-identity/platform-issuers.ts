import { type IssuerOptions, Issuers } from '@weir/oidc';

/** The issuers of platforms, such as a Kubernetes cluster, that bindings name. They are asked by HTTPS, wherever they run. */
export function platformIssuers(options: Pick<IssuerOptions, 'clock' | 'log' | 'fetchJson'>): Issuers {
  return new Issuers({ ...options, purpose: 'exchanges of agent tokens', allowsLoopbackHttp: false });
}
