import type { Clock } from '@weir/core';
import { Failure } from '@weir/core';
import type { RegistryClient, RegistryCredentials } from '@weir/registry';
import type { FlagValues } from '../flags/catalogue.ts';
import type { readTlsFiles } from './connection.ts';

interface RegistryConnection {
  readonly values: Pick<FlagValues, 'schemaRegistryURL' | 'request-timeout'>;
  readonly credentials: RegistryCredentials | undefined;
  readonly tls: Awaited<ReturnType<typeof readTlsFiles>>;
  readonly clock: Clock;
}

/** Opens a client of the registry that `-schema-registry-url` names. Its code is loaded only by tools that use it. */
export async function openRegistryClient(connection: RegistryConnection): Promise<RegistryClient> {
  const { values, credentials, tls, clock } = connection;
  const registry = await import('@weir/registry/client');
  try {
    return new registry.RegistryClient({
      urls: values.schemaRegistryURL,
      credentials,
      tls: {
        ca: tls?.authorities?.toString(),
        clientCertificate: tls?.certificate?.toString(),
        clientKey: tls?.privateKey?.toString(),
        isInsecure: tls?.skipsVerification,
      },
      timeoutMs: values['request-timeout'],
      clock,
    });
  } catch (error) {
    if (!(error instanceof registry.InvalidRegistryAddress)) throw error;
    throw new Failure(`-schema-registry-url: ${error.message}`, { cause: error });
  }
}
