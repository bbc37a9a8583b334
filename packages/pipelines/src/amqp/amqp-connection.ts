import { isIP } from 'node:net';
import { type ChannelModel, type ConfirmChannel, connect, credentials } from 'amqplib';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { Reconnecting } from '../component/reconnecting.ts';
import { type ServerAddress, serverAddresses } from '../component/server-address.ts';
import { type TlsOptions, tlsOptionsOf } from '../component/tls-fields.ts';
import { pipelineLimits } from '../limits.ts';
import { type AmqpValues, amqpSchemes } from './amqp-fields.ts';

const connectMsMax = 10_000;
const heartbeatSeconds = 10;
const { brokerMessageBytesMax: bytesMax } = pipelineLimits;

/** A connection to a broker of AMQP 0-9-1, with one channel. Both end together. */
export class AmqpConnection {
  readonly channel: ConfirmChannel;
  readonly #model: ChannelModel;
  readonly #onClosed: (error: Error) => void;
  #failure: Error | undefined;

  private constructor(model: ChannelModel, channel: ConfirmChannel, onClosed: (error: Error) => void) {
    this.#model = model;
    this.channel = channel;
    this.#onClosed = onClosed;
    // A channel that the broker closes says why in an error first.
    channel.on('error', (error) => this.close(error));
    channel.on('close', () => this.close(new Error('the AMQP broker closed the channel')));
    model.on('error', (error) => this.close(error));
    model.on('close', (error) => this.close(error ?? new Error('the AMQP broker closed the connection')));
  }

  static async open(
    server: ServerAddress,
    tls: TlsOptions | undefined,
    { outbound }: Pick<ComponentContext, 'outbound'>,
    onClosed: (error: Error) => void,
  ): Promise<AmqpConnection> {
    const { host, port, username, password, path, query } = server;
    const usesTls = server.usesTls || tls !== undefined;
    const isExternal = tls?.cert !== undefined && username === '';
    const virtualHost = path === '' ? '/' : path;
    const model = await connect(
      {
        protocol: usesTls ? 'amqps' : 'amqp',
        hostname: host,
        port,
        // Where a URL has no user, that of a broker as it is installed.
        username: username === '' ? 'guest' : username,
        password: username === '' ? 'guest' : password,
        vhost: encodeURIComponent(virtualHost),
        heartbeat: secondsOf(query.get('heartbeat')) ?? heartbeatSeconds,
      },
      {
        ...(usesTls && (tls ?? { rejectUnauthorized: true })),
        ...(isIP(host) === 0 && { servername: host }),
        ...(isExternal && { credentials: credentials.external() }),
        // A host that is not allowed throws here.
        lookup: outbound.lookupFor(host, port),
        timeout: connectMsMax,
        noDelay: true,
        keepAlive: true,
      },
    ).catch((error: Error) => {
      // The client does not say what the broker said then.
      if (!error.message.startsWith('Expected ConnectionOpenOk')) throw error;
      throw new Error(`the broker has no virtual host ${virtualHost} for this user`);
    });
    // It is replaced below; until then, an error would end the process.
    model.on('error', () => undefined);
    limitMessages(model);
    const channel = await model.createConfirmChannel();
    return new AmqpConnection(model, channel, onClosed);
  }

  /** Why it was closed; absent while it is open. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  close(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#onClosed(error);
    // It is gone already, or says goodbye after what was sent before.
    this.#model.close().catch(() => undefined);
  }
}

/** The client gathers a message however large the broker says it is, so that frames are looked at before. */
function limitMessages({ connection }: ChannelModel): void {
  const frames = connection as unknown as { accept(frame: { readonly size?: number }): void };
  const accept = frames.accept;
  frames.accept = function limited(frame) {
    const { size = 0 } = frame;
    if (size > bytesMax) throw new Error(`a message of ${size} bytes is too large; the limit is ${bytesMax}`);
    accept.call(this, frame);
  };
}

function secondsOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

export type AmqpClient = Reconnecting<AmqpConnection>;

/** A connection to the first broker that can be connected to. */
export function amqpClient(
  fields: AmqpValues,
  context: ComponentContext,
  onLost: (error: Error) => void = () => {},
): AmqpClient {
  return new Reconnecting(
    async (onClosed) => {
      const tls = await tlsOptionsOf(fields.tls);
      const reasons: string[] = [];
      for (const server of serverAddresses(fields.urls, amqpSchemes) ?? []) {
        try {
          return await AmqpConnection.open(server, tls, context, (error) => {
            onClosed(error);
            onLost(error);
          });
        } catch (error) {
          reasons.push(`${server.host}:${server.port}: ${reasonOf(error)}`);
        }
      }
      throw new Error(`failed to connect to AMQP: ${reasons.join('; ')}`);
    },
    context.clock,
    context.connection,
  );
}
