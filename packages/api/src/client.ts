import type { CallOf, OperationName, OutputOf } from './catalogue.ts';
import { ApiError, codeOfStatus, isErrorCode } from './errors.ts';
import { parseJson, printJson } from './json.ts';
import { pathOf } from './paths.ts';

/** The subset of `fetch` that is needed, so that the one of a browser, of Node and of a test fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal | null;
  readonly redirect: 'error';
  readonly credentials: 'same-origin';
}

interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface ClientOptions {
  /** The URL of the control plane, without `/api/v1`. Empty in a page that it served itself. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /** Sent with every call: the header of a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to validate answers against the catalogue. It costs time, and the server is trusted; for tests. */
  readonly checksAnswers?: boolean;
}

export interface CallOptions {
  /** Cancels the call. `AbortSignal.timeout` sets a deadline. */
  readonly signal?: AbortSignal;
}

export interface Client {
  /**
   * Calls an operation. Every failure is an `ApiError`, except that cancellation rejects with the reason of the signal.
   */
  call<Name extends OperationName>(
    name: Name,
    input: CallOf<Name>,
    options?: CallOptions,
  ): Promise<OutputOf<Name>>;
}

export function createClient(options: ClientOptions): Client {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  return {
    async call(name, input, { signal } = {}) {
      const url = baseUrl + pathOf({ name });
      const { answer, text } = await exchange(options, url, printJson(input), signal);
      if (answer.status !== 200) throw errorOf(name, answer, text);
      return await outputOf(name, text, options.checksAnswers === true);
    },
  };
}

async function exchange(options: ClientOptions, url: string, body: string, signal: AbortSignal | undefined) {
  const headers = { ...options.headers, 'content-type': 'application/json', accept: 'application/json' };
  try {
    const answer = await options.fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: signal ?? null,
      redirect: 'error',
      credentials: 'same-origin',
    });
    return { answer, text: await answer.text() };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new ApiError('unavailable', `${url} cannot be reached: ${wordsOf(error)}`, { cause: error });
  }
}

/** Node reports "fetch failed" and has the reason in the cause. */
function wordsOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error instanceof Error ? error.message : String(error);
}

async function outputOf<Name extends OperationName>(
  name: Name,
  text: string,
  isChecked: boolean,
): Promise<OutputOf<Name>> {
  let output: unknown;
  try {
    output = parseJson(text);
  } catch (error) {
    throw new ApiError('internal', `${name}: the response is not JSON`, { cause: error });
  }
  if (!isChecked) return output as OutputOf<Name>;
  const { catalogue } = await import('./catalogue.ts');
  const checked = catalogue[name].output.safeParse(output);
  if (checked.success) return checked.data as OutputOf<Name>;
  throw new ApiError(
    'internal',
    `${name}: the response does not match the catalogue: ${checked.error.message}`,
  );
}

const messageCharsMax = 4096;

function errorOf(name: string, answer: FetchAnswer, text: string): ApiError {
  const { error, message } = envelopeOf(text);
  const code = error !== undefined && isErrorCode(error) ? error : codeOfStatus(answer.status);
  const retryAfter = answer.headers.get('retry-after') ?? '';
  return new ApiError(code, (message ?? `${name}: HTTP status ${answer.status}`).slice(0, messageCharsMax), {
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  });
}

/** The response of a proxy is not an envelope. */
function envelopeOf(text: string): { error?: string; message?: string } {
  try {
    const found = JSON.parse(text) as { error?: unknown; message?: unknown } | null;
    return {
      ...(typeof found?.error === 'string' ? { error: found.error } : {}),
      ...(typeof found?.message === 'string' ? { message: found.message } : {}),
    };
  } catch {
    return {};
  }
}
