import { ApiError, apiKeyHeader, type Client, createClient } from '@weir/api';
import { systemRandom } from '@weir/core';
import { patientClient } from './apply/api/patient-client.ts';
import type { Deps } from './deps.ts';
import { Failure, PointingFailure } from './failure.ts';
import { apiBaseUrl } from './values/api-base-url.ts';

interface ApiValues {
  readonly apiURL?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** The API of a control plane by what flags say. Provisioning tools write its path with its address. */
export function apiClient({ apiURL = '', apiKey = '' }: ApiValues, { clock, stop }: Deps): Client {
  const client = createClient({
    baseUrl: apiBaseUrl(apiURL),
    fetch,
    headers: { [apiKeyHeader]: apiKey },
  });
  return patientClient(client, { clock, random: systemRandom, stop });
}

/** What the API refuses is no bug of ours. */
export async function orFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError) && (error as Error).name !== 'AbortError') throw error;
    const isPointing = error instanceof ApiError && error.code === 'filter_syntax';
    const { message } = error as Error;
    throw isPointing
      ? new PointingFailure(message, { cause: error })
      : new Failure(message, { cause: error });
  }
}
