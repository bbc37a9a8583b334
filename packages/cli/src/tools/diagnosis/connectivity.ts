/** The steps before the first request: the name, and its addresses. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  type Address,
  ConnectionFailed,
  connectionFailure,
  openSocket,
  printAddress,
  type SocketOptions,
} from '@weir/client';
import { formatDurationMs } from '@weir/core';
import { explained, failed, note, ok, type Step, skipped } from './step.ts';

/** How to try one address. */
export type Attempt = Omit<SocketOptions, 'address' | 'tls'>;

/** A name may have any number of addresses; this many are tried. */
const addressesMax = 16;

interface Resolved {
  readonly step: Step;
  /** Empty if the name does not resolve. */
  readonly addresses: readonly Address[];
}

export async function resolveName({ host, port }: Address, attempt: Attempt): Promise<Resolved> {
  if (isIP(host) !== 0) {
    return { step: skipped('DNS', `${host} is an address`), addresses: [{ host, port }] };
  }
  try {
    const found = await inTime(lookup(host, { all: true, verbatim: true }), { host, port }, attempt);
    const hosts = [...new Set(found.map(({ address }) => address))];
    const addresses = hosts.slice(0, addressesMax).map((address) => ({ host: address, port }));
    return { step: ok('DNS', `${host} is ${hosts.join(', ')}`), addresses };
  } catch (error) {
    const failure =
      error instanceof ConnectionFailed
        ? error
        : connectionFailure({ host, port }, error as NodeJS.ErrnoException);
    return { step: failed('DNS', `${host}: ${failure.what}`, failure.advice), addresses: [] };
  }
}

/** Bounds the lookup: it may take minutes if the name server is down. */
function inTime<Result>(
  result: Promise<Result>,
  address: Address,
  { clock, timeoutMs }: Attempt,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () =>
      reject(
        new ConnectionFailed(address, 'unknown host', `no response within ${formatDurationMs(timeoutMs)}`),
      ),
    );
    result.then(resolve, reject).finally(cancel);
  });
}

/** Connects to every address. Clients may choose any of them, so one that does not answer is worth a note. */
export async function connectToAll(addresses: readonly Address[], attempt: Attempt): Promise<Step> {
  const failures = await Promise.all(addresses.map((address) => connectOnce(address, attempt)));
  const dead = failures.filter((failure) => failure !== undefined);
  const alive = addresses.filter((_, index) => failures[index] === undefined).map(printAddress);
  const [first] = dead;
  if (first === undefined) return ok('TCP', `${alive.join(', ')} accepts connections`);
  const failureText = dead.map(({ address, detail }) => `${printAddress(address)}: ${detail}`).join('; ');
  if (alive.length === 0) return failed('TCP', failureText, first.advice);
  return note(
    'TCP',
    `${alive.join(', ')} accepts connections; ${failureText}`,
    'clients that try only one address of the name may fail',
  );
}

async function connectOnce(address: Address, attempt: Attempt) {
  try {
    (await openSocket({ ...attempt, address })).destroy();
    return undefined;
  } catch (error) {
    return { address, ...explained(error) };
  }
}
