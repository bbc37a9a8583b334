import { HttpProtocolError } from '@weir/http/client';
import { StoreError } from '../store/store-error.ts';
import { ConnectionLost, type HttpClient, type HttpRequest } from './http-client.ts';
import type { HttpResponse } from './response-reader.ts';

/** Sends a request. A broken connection and bytes that are not HTTP become an `unavailable` error of the subject. */
export async function storeRequest(
  http: HttpClient,
  subject: string,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<HttpResponse> {
  try {
    return await http.request(request, signal);
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof HttpProtocolError) {
      throw new StoreError('unavailable', subject, error.message, { cause: error });
    }
    throw error;
  }
}
