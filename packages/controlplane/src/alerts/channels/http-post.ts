import { type AllowedHosts, HostRefused } from '@weir/cluster/outbound';
import { httpExchange, targetOfUrl } from '@weir/http/client';
import { codeOf, DeliveryFailed } from './outcome.ts';

interface Post {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  readonly hosts: AllowedHosts;
  readonly signal: AbortSignal;
}

/** Posts JSON, and returns the status. Redirects are not followed, and the body of the answer is not read. */
export async function postJson({ url: text, headers = {}, body, hosts, signal }: Post): Promise<number> {
  const url = new URL(text);
  try {
    const { host, port } = targetOfUrl(url);
    const status = await httpExchange(
      {
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'weir', ...headers },
        body: JSON.stringify(body),
        // An address is connected to without a lookup, and refused here.
        lookup: hosts.lookupFor(host, port),
        signal,
      },
      async (answer) => answer.status,
    );
    if (status >= 200 && status < 300) return status;
    throw new DeliveryFailed(problemOf(status), { isPermanent: isPermanent(status) });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof DeliveryFailed) throw error;
    if (error instanceof HostRefused) throw new DeliveryFailed(`${error.message}.`, { isPermanent: true });
    throw new DeliveryFailed(`The server could not be reached: ${codeOf(error as Error)}.`);
  }
}

function problemOf(status: number): string {
  if (status >= 300 && status < 400)
    return `The server answered with status ${status}, a redirect, which is not followed; use the final URL.`;
  return `The server answered with status ${status}.`;
}

/** Too many requests, and timeouts, may pass. */
const transient: readonly number[] = [408, 425, 429];

function isPermanent(status: number): boolean {
  return status < 500 && !transient.includes(status);
}
