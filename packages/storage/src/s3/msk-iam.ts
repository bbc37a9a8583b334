import { Failure } from '@weir/core';
import { type Credentials, presignedQuery } from './signature.ts';

interface MskLogin {
  readonly credentials: Credentials;
  /** Absent if the name of the host has it. */
  readonly region: string | undefined;
  /** The setting that names the region, for the error. */
  readonly regionSetting: string;
  readonly nowMs: number;
}

/** How long a broker accepts the signature. */
const validSeconds = 900;
/** `b-1.shop.abc123.c2.kafka.eu-west-1.amazonaws.com`, and `kafka-serverless`. */
const hostRegion = /\.kafka(?:-serverless)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;

/** Whether AWS alone can give a host its name. */
export function isMskHost(host: string): boolean {
  return hostRegion.test(host);
}

/**
 * The message of SASL mechanism AWS_MSK_IAM: a signed request of AWS to connect to a broker, as JSON. The signature is
 * for one host, so that another broker cannot use it.
 */
export function mskPayload(
  host: string,
  { credentials, region: given, regionSetting, nowMs }: MskLogin,
): Buffer {
  const region = given ?? hostRegion.exec(host)?.[1];
  if (region === undefined)
    throw new Failure(`the region of AWS is not in the name ${host}; set ${regionSetting}`);
  const signed = presignedQuery(
    { method: 'GET', path: '/', query: { Action: 'kafka-cluster:Connect' }, host },
    { credentials, service: 'kafka-cluster', region, nowMs, validSeconds },
  );
  const fields = Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]);
  return Buffer.from(
    JSON.stringify({ version: '2020_10_22', host, 'user-agent': 'weir', ...Object.fromEntries(fields) }),
  );
}
