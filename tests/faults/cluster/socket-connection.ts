import { type Api, type Apis, apis, type Fields, type WriteStruct } from '@weir/wire';
import type { Address } from '../../../packages/client/src/address.ts';
import { KafkaConnection } from '../../../packages/client/src/connection.ts';
import { ConnectionFailed } from '../../../packages/client/src/connection-failed.ts';
import {
  type Broker,
  type ClientApi,
  type Connection,
  ConnectionLost,
  type RequestBody,
  type ResponseBody,
} from '../../sim/client.ts';
import type { ClientDeps } from '../../sim/deps.ts';

export interface SocketBroker extends Broker {
  /** The proxy that its connections use instead, for network faults. */
  readonly proxy: Address;
}

const connectTimeoutMs = 2_000;

/** A client connection over a socket, opened on construction. */
export class SocketConnection implements Connection {
  readonly broker: SocketBroker;
  readonly #opening: Promise<KafkaConnection>;
  inFlight = 0;
  isOpen = true;

  constructor({ clock }: ClientDeps, broker: SocketBroker) {
    this.broker = broker;
    this.#opening = KafkaConnection.open({
      address: broker.proxy,
      clientId: 'faults',
      clock,
      stop: new AbortController().signal,
      timeoutMs: connectTimeoutMs,
    });
    // Each request reports the failure.
    this.#opening.catch(() => undefined);
  }

  async request<Name extends ClientApi>(
    name: Name,
    body: RequestBody<Apis[Name]>,
    timeoutMs: number,
  ): Promise<ResponseBody<Apis[Name]>> {
    this.inFlight++;
    try {
      const connection = await this.#opening;
      // Name and body match, which the types cannot express for the whole table.
      const api = apis[name] as unknown as Api;
      const answer = await connection.request(api, body as unknown as WriteStruct<Fields>, { timeoutMs });
      return answer as unknown as ResponseBody<Apis[Name]>;
    } catch (error) {
      this.close('it failed');
      if (error instanceof ConnectionFailed) throw new ConnectionLost(error.message);
      throw error;
    } finally {
      this.inFlight--;
    }
  }

  close(_reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#opening.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }
}
