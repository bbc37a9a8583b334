import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { Reconnecting } from '../component/reconnecting.ts';
import { type ServerAddress, serverAddresses } from '../component/server-address.ts';
import { tlsOptionsOf } from '../component/tls-fields.ts';
import { loginOf } from './nats-auth.ts';
import { NatsConnection } from './nats-connection.ts';
import { type NatsValues, natsSchemes } from './nats-fields.ts';

export type NatsClient = Reconnecting<NatsConnection>;

/** A connection to the first server that can be connected to. */
export function natsClient(
  fields: NatsValues,
  context: ComponentContext,
  onLost: (error: Error) => void = () => {},
): NatsClient {
  const { outbound, clock, random, label } = context;
  const connect = async (server: ServerAddress, onClosed: (error: Error) => void) =>
    NatsConnection.open({
      server,
      name: label,
      tls: await tlsOptionsOf(fields.tls),
      login: (nonce) => loginOf(fields.auth, server, nonce),
      outbound,
      clock,
      random,
      onClosed: (error) => {
        onClosed(error);
        onLost(error);
      },
    });
  return new Reconnecting(
    async (onClosed) => {
      const reasons: string[] = [];
      for (const server of serverAddresses(fields.urls, natsSchemes) ?? []) {
        try {
          return await connect(server, onClosed);
        } catch (error) {
          reasons.push(`${server.host}:${server.port}: ${reasonOf(error)}`);
        }
      }
      throw new Error(`failed to connect to NATS: ${reasons.join('; ')}`);
    },
    clock,
    context.connection,
  );
}
