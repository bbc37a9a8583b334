import type { Apis } from '@weir/wire';
import { type ErrorName, errorByCode } from '@weir/wire';
import type { Bootstrap } from './bootstrap.ts';
import type { ClientApi, Connection, RequestBody, ResponseBody } from './client.ts';
import type { ClientDeps } from './deps.ts';

/** An error response of a broker. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly error: ErrorName;

  constructor(what: string, error: ErrorName) {
    super(`${what}: ${error}`);
    this.error = error;
  }
}

export function refuse(what: string, errorCode: number): void {
  if (errorCode !== 0) throw new Refused(what, errorByCode(errorCode)!.name);
}

/** Sends requests to one random broker until the connection ends, then picks again. Any broker can answer. */
export class AnyBrokerClient {
  readonly #world: ClientDeps;
  readonly #bootstrap: Bootstrap;
  #connection: Connection | undefined;

  constructor(world: ClientDeps, bootstrap: Bootstrap) {
    this.#world = world;
    this.#bootstrap = bootstrap;
  }

  request<Name extends ClientApi>(
    name: Name,
    body: RequestBody<Apis[Name]>,
    timeoutMs: number,
  ): Promise<ResponseBody<Apis[Name]>> {
    if (this.#connection?.isOpen !== true) {
      const brokers = this.#bootstrap.brokers();
      this.#connection = this.#bootstrap.connect(brokers[this.#world.random.below(brokers.length)]!);
    }
    return this.#connection.request(name, body, timeoutMs);
  }

  /** Breaks the connection. */
  cut(): void {
    this.#connection?.close('connection reset');
  }
}
