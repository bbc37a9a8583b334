import { hash } from 'node:crypto';
import type { signRequest } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { type AwsSession, awsIdentity } from './aws-session.ts';

interface UnsignedRequest {
  /** Without a query. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** What a request is signed for, by its URL. The region is that of the configuration if it names one. */
type ServiceOf = (url: URL) => {
  readonly service: NonNullable<Parameters<typeof signRequest>[1]['service']>;
  readonly region: string | undefined;
};

/** Signs requests to services of AWS. */
export interface AwsSigner {
  /** Returns the headers of a POST with its signature. */
  sign(request: UnsignedRequest, stop: AbortSignal): Promise<Readonly<Record<string, string>>>;
  close(): void;
}

/** Where roles are assumed if the configuration names no region. */
export const usualRegion = 'us-east-1';

export async function awsSigner(
  { region: given, credentials }: Pick<AwsSession, 'region' | 'credentials'>,
  serviceOf: ServiceOf,
  context: Pick<ComponentContext, 'clock' | 'environment' | 'outbound'>,
): Promise<AwsSigner> {
  const { environment = {} } = context;
  const configured = given || environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined;
  const identity = await awsIdentity({ region: configured ?? usualRegion, credentials }, 'AWS', context);
  const { signRequest } = await import('@weir/storage');
  return {
    async sign({ url, headers, body }, stop) {
      const { service, region = configured } = serviceOf(url);
      if (region === undefined) throw new Error(`the region is missing: ${url.hostname} does not name it`);
      return signRequest(
        { method: 'POST', path: url.pathname, headers: { ...headers, host: url.host } },
        {
          credentials: await identity.get(stop),
          service,
          region: given || region,
          nowMs: context.clock.nowMs(),
          payloadHash: hash('sha256', body),
        },
      );
    },
    close: () => identity.close(),
  };
}
