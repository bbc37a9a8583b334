import { Failure, type Log } from '@weir/core';
import {
  type AgentTls,
  clientNames,
  type ProxyProtocolOptions,
  ServerCertificates,
  type TlsSource,
  tlsBucket,
  tlsFiles,
} from '@weir/security';
import { openStore, type StoreDeps } from '@weir/storage';
import type { FlagValues } from '../flags/catalogue.ts';
import { privateCidrs } from '../rules/proxy-protocol.ts';
import { type CertificateSource, resolveCertificate } from '../rules/tls.ts';
import { bucketUrl } from '../values/bucket-url.ts';

type AgentOnly =
  | 'internalTLS'
  | 'internalTLSPort'
  | 'internalSpiffeTrustDomain'
  | 'internalSpiffeWorkloadID'
  | 'schemaRegistryTLSEnabled';

type TlsValues = Partial<Pick<FlagValues, AgentOnly>> &
  Pick<
    FlagValues,
    | 'kafkaTLS'
    | 'httpTLS'
    | 'tlsServerCertFile'
    | 'tlsServerPrivateKeyFile'
    | 'tlsClientCACertFile'
    | 'tlsBlobURL'
    | 'tlsProfile'
    | 'requireMTLSAuthentication'
    | 'mtlsPrincipalMappingRules'
    | 'enableSpiffeAuthentication'
    | 'logMTLSCertificateInfo'
  >;

/** The TLS settings that come from flags. Reads the certificates, and reloads them until the resources are disposed. */
export async function tlsSettings(
  values: TlsValues,
  resources: AsyncDisposableStack,
  deps: StoreDeps,
): Promise<AgentTls | undefined> {
  const { kafkaTLS, httpTLS, internalTLS = false, schemaRegistryTLSEnabled = false } = values;
  if (!kafkaTLS && !httpTLS && !internalTLS && !schemaRegistryTLSEnabled) return undefined;
  const certificates = await explainingFiles(async () => {
    const source = await openSource(certificateSource(values), resources, deps);
    return await ServerCertificates.load({ ...deps, source, profile: values.tlsProfile });
  });
  resources.defer(() => certificates.close());
  const requested = certificates.hasAuthorities ? ('requested' as const) : ('ignored' as const);
  const ofClients = {
    clientCertificates: values.requireMTLSAuthentication ? ('required' as const) : requested,
    nameOf: clientNames({
      rules: values.mtlsPrincipalMappingRules,
      takesSpiffeIds: values.enableSpiffeAuthentication,
    }),
  } as const;
  return {
    certificates,
    kafka: kafkaTLS ? { ...ofClients, logsCertificates: values.logMTLSCertificateInfo } : undefined,
    registry: schemaRegistryTLSEnabled ? ofClients : undefined,
    http: httpTLS,
    internal: internalTLS
      ? {
          port: values.internalTLSPort!,
          identity: {
            trustDomain: values.internalSpiffeTrustDomain,
            workloadId: values.internalSpiffeWorkloadID?.replace(/^\//, ''),
          },
        }
      : undefined,
  };
}

type ProxyProtocolValues = Pick<
  FlagValues,
  | 'kafkaProxyProtocol'
  | 'kafkaProxyProtocolPrincipalTLVType'
  | 'kafkaProxyProtocolTrustedCIDRs'
  | 'kafkaProxyProtocolAllowSuperusers'
>;

export function proxyProtocolSettings(
  {
    kafkaProxyProtocol,
    kafkaProxyProtocolPrincipalTLVType: principalType,
    kafkaProxyProtocolTrustedCIDRs: named,
    kafkaProxyProtocolAllowSuperusers: allowsSuperusers,
  }: ProxyProtocolValues,
  log: Log,
): ProxyProtocolOptions | undefined {
  if (!kafkaProxyProtocol) return undefined;
  if (named.length > 0) return { principalType, trustedCidrs: named, allowsSuperusers };
  log.warn('started with PROXY headers trusted from all private addresses', {
    trustedCidrs: privateCidrs.join(),
    advice:
      'any client at such an address can choose the client address and principal; set -kafkaProxyProtocolTrustedCIDRs to the proxies',
  });
  return { principalType, trustedCidrs: privateCidrs, allowsSuperusers };
}

function certificateSource(values: TlsValues): CertificateSource {
  const resolved = resolveCertificate({
    internalTLS: false,
    schemaRegistryTLSEnabled: false,
    internalSpiffeTrustDomain: undefined,
    internalSpiffeWorkloadID: undefined,
    ...values,
  });
  if ('problem' in resolved) throw new Failure(resolved.problem.rule);
  return resolved.value;
}

async function openSource(
  source: CertificateSource,
  resources: AsyncDisposableStack,
  deps: StoreDeps,
): Promise<TlsSource> {
  if (source.kind === 'none') throw new Error('a listener speaks TLS and no rule asked for its certificate');
  if (source.kind === 'files') return tlsFiles(source);
  const store = await openStore(bucketUrl().print(source.bucket), deps);
  resources.defer(() => store.close());
  return tlsBucket(store);
}

async function explainingFiles<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new Failure(`failed to load TLS files: ${error instanceof Error ? error.message : String(error)}`);
  }
}
