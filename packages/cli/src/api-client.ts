import { ApiError, apiKeyHeader, type Client, createClient } from '@weir/api/client';
import { Failure, systemRandom } from '@weir/core';
import { patientClient } from './apply/api/patient-client.ts';
import type { Deps } from './deps.ts';
import { PointingFailure } from './pointing-failure.ts';
import { apiBaseUrl } from './values/api-base-url.ts';

interface ApiValues {
  readonly apiURL?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** An API client for the control plane that the flags name. Provisioning tools put the API path into the URL. */
export function apiClient({ apiURL = '', apiKey = '' }: ApiValues, { clock, stop }: Deps): Client {
  const client = createClient({
    baseUrl: apiBaseUrl(apiURL),
    fetch,
    headers: { [apiKeyHeader]: apiKey },
  });
  return patientClient(client, { clock, random: systemRandom, stop });
}

/** Turns errors that the API returns into a `Failure`: they are not bugs of the command. */
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
